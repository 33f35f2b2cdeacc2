import { join } from 'node:path';
import { packageVersion } from '../../../base/input/package-version.js';
import { InputError } from '../../../base/input/yaml.js';
import { createDifferences } from '../../../lab/explore/causes/decisions.js';
import { type KnownFindings, knownText, readKnownOfKubernetes } from '../../../lab/explore/causes/known.js';
import { likelihoodOf } from '../../../lab/explore/causes/likelihood.js';
import type { Exploration, Explored } from '../../../lab/explore/explore.js';
import {
  KNOWN_FILE,
  type Summary,
  type SummaryFinding,
  summarizeCauses,
} from '../../../lab/explore/report/summary.js';
import { kubeletOf, type NamedProgram, writeFinding } from '../../../lab/explore/report/write.js';
import { createRunner } from '../../../lab/explore/run/runner.js';
import { withVersion } from '../../../lab/explore/subject/subject.js';
import type { Oracle } from '../../../lab/scenario/expect/oracle.js';

export interface SummaryOptions {
  readonly out: string;
  /** Explored kubelet versions; undefined for the scenario's. */
  readonly versions: readonly (string | undefined)[];
  readonly known: KnownFindings;
  readonly oracle?: string | undefined;
  readonly ownRule?: Oracle | undefined;
  /** The kubelet program that ran the schedules; undefined for the thin kubelet. */
  readonly program?: NamedProgram | undefined;
  readonly signal: AbortSignal;
  /** Whether the time budget is used up: then findings are written without running them again. */
  readonly isLate: () => boolean;
  readonly onWritten?: ((done: number) => void) | undefined;
}

export async function summarize(
  explored: readonly Explored[],
  parts: readonly Exploration[],
  options: SummaryOptions,
): Promise<Omit<Summary, 'finished'>> {
  const { out, known, oracle, program } = options;
  const findings: SummaryFinding[] = [];
  const firstDifference = createDifferences(program?.path);
  const recorder = `mockri ${packageVersion()}`;
  const ofKubernetes = readKnownOfKubernetes();
  for (const each of explored) {
    const accepted = known(each.kind, kubeletOf(each));
    const behavior = ofKubernetes(each.kind, kubeletOf(each));
    const entry = accepted ?? behavior;
    const isBrief = entry !== undefined || options.isLate();
    const { entries, ...written } = await writeFinding(each, {
      ...{ directory: out, recorder, oracle, program, isBrief },
      ...(entry && { explainedIn: join(out, KNOWN_FILE) }),
    });
    const { key, text } =
      entry !== undefined
        ? { key: entry.why, text: knownText(entry) }
        : isBrief
          ? { key: each.kind, text: 'The budget left no time to run it again: replay it.' }
          : await firstDifference(each, entries);
    const versions = await versionsOf(each, options);
    findings.push({
      ...written,
      perturbations: [...written.perturbations],
      cause: `${each.finding.rule}: ${key}`,
      decision: text,
      likely: likelihoodOf(each.finding.schedule),
      ...(accepted && { known: knownText(accepted) }),
      ...(behavior && { behavior: knownText(behavior) }),
      ...(Object.keys(versions).length > 0 && { versions }),
    });
    options.onWritten?.(findings.length);
  }
  const schedules = parts.reduce((sum, part) => sum + part.schedules, 0);
  const perSecond =
    parts.reduce((sum, part) => sum + part.perSecond * part.schedules, 0) / Math.max(1, schedules);
  const coverage = parts.reduce((sum, part) => sum + part.coverage, 0);
  return {
    schedules,
    perSecond: Math.round(perSecond * 10) / 10,
    coverage,
    findings,
    causes: summarizeCauses(findings),
  };
}

/** Versions with the finding; empty unless several were explored. */
async function versionsOf(
  explored: Explored,
  { versions, ownRule, signal, isLate }: SummaryOptions,
): Promise<Record<string, boolean | null>> {
  const found: Record<string, boolean | null> = {};
  if (versions.length < 2) return found;
  for (const version of versions)
    if (version !== undefined && !signal.aborted && !isLate())
      found[version] = (await isThere(explored, version, ownRule)) ?? null;
  return found;
}

/** Whether the finding occurs with another kubelet version; undefined if the scenario does not run with it. */
async function isThere(
  { scenario, finding }: Explored,
  version: string,
  oracle?: Oracle,
): Promise<boolean | undefined> {
  try {
    const runner = createRunner(withVersion(scenario, version), { oracle });
    return (await runner.breaks(finding.schedule, finding.rule, finding.pod)) !== undefined;
  } catch (error) {
    // The version does not know a feature gate of the scenario.
    if (error instanceof InputError) return undefined;
    throw error;
  }
}
