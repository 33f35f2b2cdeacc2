import { oneLine } from '../../../base/markup/terminal.js';
import { type Cause, kindsOf } from '../cause.js';
import type { SeenFile } from '../facts.js';
import { incidentsOf } from '../known.js';
import type { Reproduction } from '../reproduce.js';
import { notCompared } from './text.js';
import { causeScenario } from './write.js';

/** The `--json` output; `files` were written for the causes. */
export const toJson = (
  { causes, apart, runs, isCut, seen, others }: Reproduction,
  saw: readonly SeenFile[],
  files: readonly string[],
) => ({
  causes: causes.map((cause, index) => causeJson(cause, files[index])),
  read: saw.map(({ file, parts, lines, examples }) => ({
    file,
    parts,
    ...lines,
    examples: examples.map(oneLine),
  })),
  notCompared: { pods: others, events: notCompared(seen) },
  apart,
  shift: seen.shift,
  runs,
  budgetUsedUp: isCut,
});

const causeJson = (cause: Cause, file: string | undefined) => ({
  fit: cause.fit,
  verdict: cause.verdict,
  cause: cause.cause,
  kind: cause.key,
  also: kindsOf(cause).slice(1),
  incidents: incidentsOf(kindsOf(cause)),
  kubelet: cause.version,
  kubelets: cause.versions,
  runtime: cause.runtime,
  runtimes: cause.runtimes,
  guesses: cause.guesses,
  unexplained: cause.unexplained,
  explanation: cause.explanation,
  scenario: causeScenario(cause, '.'),
  ...(file !== undefined && { file }),
});
