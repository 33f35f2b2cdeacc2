import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { createMemoryBackend } from '../../../../adapters/memory/memory-backend.js';
import { createVirtualClock } from '../../../base/clock/virtual-clock.js';
import { makeDirectory } from '../../../base/input/make-directory.js';
import { shellWord } from '../../../base/markup/shell-word.js';
import { DEFAULT_KUBELET_VERSION } from '../../../kubelet/config/versions.js';
import type { Entry } from '../../../tape/entries.js';
import { recordToFile } from '../../../tape/file.js';
import { redactions } from '../../../tape/keep.js';
import { createTape } from '../../../tape/tape.js';
import { writePage } from '../../../tape/viewer/document.js';
import { keepTape } from '../../scenario/expect/kept-tape.js';
import { explanationsOf } from '../../scenario/explain/explain.js';
import { parseScenario } from '../../scenario/file/load.js';
import { scenarioText } from '../../scenario/file/scenario-text.js';
import type { Simulation } from '../../scenario/run/run.js';
import { simulate } from '../../scenario/simulation/simulate.js';
import type { Explored } from '../explore.js';
import { perturbed } from '../run/schedule.js';
import { explainFinding } from './explain.js';
import { kindText } from './kind-text.js';

export interface WrittenFinding {
  readonly rule: string;
  readonly kind: string;
  readonly message: string;
  readonly pod: string;
  readonly file: string;
  /** Undefined if the finding was not run again. */
  readonly tape?: string | undefined;
  /** The timeline; undefined if the build has no page. */
  readonly page?: string | undefined;
  readonly explanation: string;
  readonly replay: string;
  readonly perturbations: readonly string[];
  readonly kubelet: string;
}

export interface FindingTape {
  /** Undefined without a run, and for one that ended with an exception. */
  readonly entries: readonly Entry[] | undefined;
}

export interface WriteOptions {
  readonly directory: string;
  readonly recorder: string;
  readonly oracle?: string | undefined;
  /** The kubelet program that ran the schedules; undefined for the thin kubelet. */
  readonly program?: NamedProgram | undefined;
  /** Writes only the scenario and an explanation, which needs no run. */
  readonly isBrief?: boolean | undefined;
  /** The page of all known findings, which replaces the explanation. */
  readonly explainedIn?: string | undefined;
}

export interface NamedProgram {
  readonly path: string;
  readonly name: string;
}

export async function writeFinding(
  explored: Explored,
  options: WriteOptions,
): Promise<WrittenFinding & FindingTape> {
  const { directory, recorder, oracle, program, isBrief = false, explainedIn } = options;
  const { finding, kind } = explored;
  const { rule, message, pod, schedule } = finding;
  const kubelet = kubeletOf(explored);
  const whole = perturbed(explored.scenario, schedule);
  const scenario = { ...whole, until: finding.until ?? whole.until };
  const name = fileName(rule, kind);
  await makeDirectory(directory);
  const file = join(directory, `${name}.yaml`);
  const why =
    schedule.length === 0
      ? 'The scenario itself breaks the rule.'
      : `Faults: ${schedule.map(({ text }) => text).join('; ')}.`;
  const story = {
    title: kindText(kind),
    see: message,
    why,
  };
  const text = scenarioText(scenario, { ...story, expect: finding.expect }, directory);
  await writeFile(file, text);
  const tape = isBrief ? undefined : join(directory, `${name}.tape.gz`);
  const about = { recorder, kubelet, seed: String(scenario.seed) };
  const { run, entries } =
    tape === undefined
      ? NOT_RUN
      : await record(await parseScenario(text, file, scenario), tape, about, program?.path);
  const judged = rule === 'oracle' && oracle !== undefined ? ` --oracle ${shellWord(oracle)}` : '';
  const ran = program === undefined ? '' : ` --kubelet ${shellWord(program.name)}`;
  const replay = `npx mockri simulate ${shellWord(relative('.', file) || file)}${ran}${judged} --output timeline`;
  const explanation = explainedIn ?? join(directory, `${name}.txt`);
  if (explainedIn === undefined) await writeFile(explanation, explainFinding(explored, run, replay));
  const runs = [{ findings: run === undefined ? [] : explanationsOf(run), problems: [message] }];
  const page = tape && (await writePage(join(directory, `${name}.html`), tape, { ...story, runs }));
  return {
    rule,
    kind,
    message,
    pod,
    file,
    ...(tape !== undefined && { tape }),
    ...(page !== undefined && { page }),
    explanation,
    replay,
    perturbations: schedule.map(({ text: each }) => each),
    kubelet,
    entries,
  };
}

const NOT_RUN = { run: undefined, entries: undefined };

export const kubeletOf = ({ scenario }: Explored): string =>
  scenario.kubelet.version ?? DEFAULT_KUBELET_VERSION;

/** A run that ends with an exception, the finding itself, has no result. */
async function record(
  scenario: Parameters<typeof perturbed>[0],
  file: string,
  about: Parameters<typeof recordToFile>[0]['about'],
  program: string | undefined,
): Promise<FindingTape & { readonly run: Simulation | undefined }> {
  const tape = createTape(createVirtualClock());
  const kept = keepTape(tape);
  const recording = await recordToFile({ tape, file, about, keep: redactions });
  try {
    const run = await simulate({ scenario, tape, backend: createMemoryBackend, program });
    return { run, entries: kept.entries };
  } catch {
    return { run: undefined, entries: undefined };
  } finally {
    await recording.close();
  }
}

/** Equal for equal kinds: the rule, the first kind of perturbation, and a hash of everything. */
function fileName(rule: string, kind: string): string {
  const words = kind
    .split(' | ')
    .slice(1)
    .join(' ')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .toLowerCase()
    .slice(0, 60)
    .replace(/^-|-$/g, '');
  const hash = createHash('sha256').update(kind).digest('hex').slice(0, 6);
  return [rule.toLowerCase().replace(/[^a-z0-9]+/g, '-'), words || 'unperturbed', hash].join('-');
}
