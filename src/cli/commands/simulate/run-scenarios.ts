import type { Clock } from '../../../base/clock/clock.js';
import { createRealClock } from '../../../base/clock/real-clock.js';
import { createVirtualClock } from '../../../base/clock/virtual-clock.js';
import { counted } from '../../../base/input/counted.js';
import { packageVersion } from '../../../base/input/package-version.js';
import { spareInputs } from '../../../base/input/spare-inputs.js';
import { InputError } from '../../../base/input/yaml.js';
import { type JunitCase, toJunitXml } from '../../../base/markup/junit.js';
import { kubeletProgram } from '../../../kubelet/hosts/virtual/kubelet-program.js';
import { type ComparedRun, compareRuns } from '../../../lab/scenario/compare/comparison.js';
import { comparisonLines } from '../../../lab/scenario/compare/comparison-text.js';
import { judgePair, type PairResult } from '../../../lab/scenario/compare/matrix.js';
import { simulateChecked } from '../../../lab/scenario/expect/checked-run.js';
import {
  type GoldenRun,
  goldenDifference,
  goldenText,
  hasRun,
  readGolden,
  writeGolden,
} from '../../../lab/scenario/expect/golden.js';
import { loadOracle } from '../../../lab/scenario/expect/oracle.js';
import type { LoadedScenario } from '../../../lab/scenario/file/loaded-scenario.js';
import { type ScenarioRun, versionOf } from '../../../lab/scenario/file/variants.js';
import { loadInputs } from '../../../lab/scenario/load-inputs.js';
import { timelineText } from '../../../lab/scenario/output/timeline.js';
import type { Simulation } from '../../../lab/scenario/run/run.js';
import type { SimulationOptions } from '../../../lab/scenario/simulation/open-simulation.js';
import { type Recording, recordToFile } from '../../../tape/file.js';
import type { About } from '../../../tape/header.js';
import type { Redaction } from '../../../tape/keep.js';
import { createTape, type Tape } from '../../../tape/tape.js';
import { writeOutput } from '../../output/output-file.js';
import { type ChosenKubelet, chosenKubelets } from './chosen-kubelets.js';
import { type ChosenRun, chosenRuns, isComparable, isCompared, isMatrix } from './chosen-runs.js';
import type { Flags } from './flags.js';
import { type DoneRun, type KeptRuns, keptRuns } from './kept-runs.js';
import { createSimulationPage, type SimulationPage } from './page.js';
import { createReport, type Lines, matrixText, type Report } from './report.js';

/** Recording options of `mockri simulate`. */
interface RecordingFlags {
  readonly record?: string;
  readonly keep?: Redaction[];
}

export interface SimulateParts extends Pick<SimulationOptions, 'backend'> {
  /** Replaces the reports of `mockri simulate`; a run that crashes then fails, and the others continue. */
  readonly report?: typeof createReport;
}

/** Resolves with the exit code: 1 if an expectation is not met. Throws InputError for a mistake in a file. */
export async function runScenarios(
  files: readonly string[],
  flags: Flags,
  parts: SimulateParts,
  lines: Lines,
): Promise<number> {
  spareInputs('--save', flags.save, files);
  const { scenarios, made } = await loadInputs(files, { ...flags, ownKubelet: flags.kubelet !== undefined });
  if (flags.save !== undefined) await saveScenario(flags.save, made);
  if (flags.output === 'matrix' && !isComparable(flags))
    throw new InputError([
      '--output matrix: there is one run; give several with --kubelet, --kubelet-version, --runtime-profile, --vary or --upgrade',
    ]);
  const kept = keptRuns(flags);
  const kubelets = chosenKubelets(flags, lines.err);
  const oracle = flags.oracle === undefined ? undefined : await loadOracle(flags.oracle);
  const page = flags.output === 'html' ? createSimulationPage(scenarios, flags.keep) : undefined;
  const chosen = await Promise.all(scenarios.map((scenario) => chosenRuns(scenario, flags, kubelets)));
  const total = chosen.flat().length;
  const report = (parts.report ?? createReport)(
    total,
    flags,
    page === undefined ? lines : { ...lines, out: () => {} },
  );
  const session: Session = {
    flags,
    kubelets,
    programs: kubelets?.some(({ program }) => program !== undefined) ? upgradesOf(scenarios) : new Map(),
    parts,
    oracle,
    kept,
    page,
    total,
    report,
    begun: 0,
    failed: 0,
    clock: createRealClock(),
    cases: [],
  };
  for (const [index, scenario] of scenarios.entries())
    await runScenario(session, scenario, chosen[index] ?? []);
  const left = total - session.begun;
  if (left > 0) lines.err(`--budget is used up: ${counted(left, 'run was', 'runs were')} not begun`);
  report.close(session.failed);
  if (flags.junit !== undefined)
    await writeOutput(
      flags.junit,
      toJunitXml([{ name: 'mockri simulate', cases: session.cases }]),
      '--junit',
    );
  if (page !== undefined) lines.out(page.text());
  return session.failed === 0 ? 0 : 1;
}

/** The programs to which timelines upgrade, by version. Throws InputError for one that is not built. */
const upgradesOf = (scenarios: readonly LoadedScenario[]): ReadonlyMap<string, string> =>
  new Map(
    scenarios
      .flatMap(({ timeline }) => timeline)
      .flatMap(({ do: { kubelet } }) => (typeof kubelet === 'object' ? kubelet.version : []))
      .map((version) => [version, kubeletProgram(version, 'timeline: kubelet.version').path]),
  );

async function saveScenario(file: string, text: string | undefined): Promise<void> {
  if (text === undefined)
    throw new InputError(['--save: no manifests are given, so there is nothing to save']);
  await writeOutput(file, text, '--save');
}

interface Session {
  readonly flags: Flags;
  readonly kubelets: readonly ChosenKubelet[] | undefined;
  readonly programs: ReadonlyMap<string, string>;
  readonly parts: SimulateParts;
  readonly oracle: Awaited<ReturnType<typeof loadOracle>> | undefined;
  readonly kept: KeptRuns | undefined;
  readonly page: SimulationPage | undefined;
  readonly total: number;
  readonly report: Report;
  begun: number;
  failed: number;
  readonly clock: Clock;
  readonly cases: JunitCase[];
}

/** A run without a result crashed, or did not begin. */
interface EndedRun {
  readonly run: ChosenRun;
  readonly result?: Simulation;
  readonly judged?: PairResult | undefined;
}

async function runScenario(
  session: Session,
  scenario: LoadedScenario,
  runs: readonly ChosenRun[],
): Promise<void> {
  const { flags } = session;
  const golden = await goldenOf(scenario, flags);
  const ended: EndedRun[] = [];
  for (const run of runs) ended.push(await runOne(session, run, golden, ended));
  if (isComparable(flags)) showSideBySide(session, scenario, ended);
  if (flags.update) await writeGolden(scenario.file, goldenText(scenario.title, ended.flatMap(timelineOf)));
}

const timelineOf = ({ run, result }: EndedRun): GoldenRun[] =>
  result === undefined ? [] : [{ name: run.name, lines: timelineText(result) }];

async function runOne(
  session: Session,
  run: ChosenRun,
  golden: string | undefined,
  before: readonly EndedRun[],
): Promise<EndedRun> {
  const { flags, report, page, clock, kept } = session;
  const begun = clock.elapsed();
  const known = kept?.find(run, golden);
  if (known === undefined && begun > (flags.budget ?? Number.POSITIVE_INFINITY))
    return withoutResult(session, run, 'not run', '--budget is used up');
  const done = known ?? (await record(session, run, golden));
  if (known === undefined) await kept?.add(run, golden, done);
  else session.begun++;
  const { result, problems: own, failed } = done;
  if (result === undefined) return withoutResult(session, run, 'crash', failed);
  const resultOf = (name = '') => before.find((other) => other.run.name === name)?.result;
  const judged = isMatrix(flags)
    ? judgePair(run.pair, { run: result, base: resultOf(run.base), restarted: resultOf(run.restarted) })
    : undefined;
  report.end(run, result, own);
  page?.end(result, own);
  // The matrix shows these.
  const problems = [...own, ...failuresOf(judged, run)];
  count(session, run, problems, clock.elapsed() - begun);
  return { run, result, judged };
}

function withoutResult(
  session: Session,
  run: ChosenRun,
  verdict: 'crash' | 'not run',
  what = 'it did not end',
): EndedRun {
  const { kubelet, runtime } = run.pair;
  session.report.withoutResult(run, verdict === 'crash' ? `${verdict}: ${what}` : undefined);
  count(session, run, [`${verdict}: ${what}`], 0);
  return { run, judged: { kubelet, runtime, verdict, what } };
}

function count(
  session: Session,
  { name, scenario }: ChosenRun,
  problems: readonly string[],
  duration: number,
): void {
  const [message] = problems;
  const [line = ''] = message?.split('\n') ?? [];
  const outcome = { kind: 'failure' as const, message: line, text: problems.join('\n') };
  const isFailed = message !== undefined;
  session.cases.push({ className: scenario.file, name, duration, ...(isFailed && { outcome }) });
  if (isFailed) session.failed++;
}

/** An upgrade must do no more than a restart; of other pairs, only a crash is a failure. */
function failuresOf(judged: PairResult | undefined, { restarted }: ChosenRun): readonly string[] {
  if (judged?.what === undefined) return [];
  const isFailure = judged.verdict === 'crash' || (judged.verdict === 'differs' && restarted !== undefined);
  return isFailure ? [`${judged.verdict}: ${judged.what}`] : [];
}

/** A kubelet program that exits at every start: a run in which nothing happens must not look successful. */
const neverRan = ({ program }: ChosenRun, { kubelets, rows }: Simulation): readonly string[] =>
  program !== undefined && rows.length === 0 && kubelets.some(({ what }) => what === 'exited')
    ? ['no pod was ever run: the kubelet ended before']
    : [];

/** Column title of a run: its kubelet or values, or its whole name if several runs share these. */
const columnOf = ({ name, column }: ChosenRun, runs: readonly EndedRun[]): string =>
  runs.filter(({ run }) => run.column === column).length > 1 ? name : column;

function showSideBySide(
  { flags, report, page }: Session,
  scenario: LoadedScenario,
  ended: readonly EndedRun[],
): void {
  const shown = ended.filter(({ run }) => run.isControl !== true);
  const runs = shown.flatMap(({ run, result }): ComparedRun[] =>
    result === undefined ? [] : [{ name: columnOf(run, ended), version: versionOf(run.scenario), result }],
  );
  const comparison = compareRuns(runs);
  const indexOf = (name: string) => ended.findIndex(({ run }) => columnOf(run, ended) === name);
  const pairs = shown.flatMap(({ judged }) => judged ?? []);
  page?.compare(
    comparison.columns.map((column) => column.map(indexOf)),
    [...matrixText(pairs, flags), '', ...comparisonLines(comparison)],
    comparison,
  );
  if (isCompared(flags)) report.compare(scenario, comparison, pairs);
}

/** Resolves without a result for a run of a matrix that crashes. */
async function record(session: Session, run: ChosenRun, golden: string | undefined): Promise<DoneRun> {
  const { flags, kubelets, programs, parts, oracle, page, report, total } = session;
  const about = tapeAbout(flags, run);
  const recording = createRunRecording(flags, ++session.begun, total, about);
  const tape = createTape(flags.real ? createRealClock() : createVirtualClock());
  page?.begin(run.name, tape, about);
  await recording?.start(tape);
  const checked = simulateChecked({
    tape,
    backend: parts.backend,
    ...report.begin(run),
    ...optionsOf(flags),
    program: run.program,
    programOf: (version) => run.nextProgram ?? programs.get(version) ?? '',
    oracle,
    scenario: run.scenario,
  });
  const done: DoneRun = await (isMatrix(flags) || parts.report !== undefined
    ? checked.catch(crashed)
    : checked);
  await recording?.close();
  const { result, problems } = done;
  if (result === undefined) return done;
  // The golden file has no run for a requested version without a variant.
  const isKept = golden !== undefined && (kubelets === undefined || hasRun(golden, run.name));
  const differences = isKept
    ? timelineOf({ run, result }).flatMap((timeline) => goldenDifference(golden, timeline) ?? [])
    : [];
  return { result, problems: [...problems, ...differences, ...neverRan(run, result)] };
}

function crashed(error: Error): DoneRun {
  if (error instanceof InputError) throw error;
  return { problems: [], failed: error.message };
}

/** Records a run if requested. With several runs, `run.tape.gz` becomes `run-2.tape.gz`. */
function createRunRecording({ record, keep }: RecordingFlags, number: number, total: number, about: About) {
  if (record === undefined) return undefined;
  const file = total === 1 ? record : record.replace(/((\.tape)?(\.gz)?)$/, `-${number}$1`);
  let recording: Recording | undefined;
  const onFailure = (message: string) => void process.stderr.write(`mockri: ${message}\n`);
  return {
    start: async (tape: Tape): Promise<void> => {
      recording = await recordToFile({ tape, file, keep, about, onFailure });
    },
    close: async () => recording?.close(),
  };
}

const optionsOf = ({ seed, latency, real, socket }: Flags) => ({
  seed,
  latency,
  over: real || socket ? ('socket' as const) : ('process' as const),
});

const tapeAbout = ({ seed }: Flags, { scenario }: ScenarioRun): About => ({
  profile: scenario.runtime,
  runtime: { name: 'mockri', version: packageVersion(), apiVersion: 'v1' },
  kubelet: versionOf(scenario),
  seed: seed ?? String(scenario.seed),
});

async function goldenOf(
  { file }: LoadedScenario,
  { update, seed, runtimeProfile, latency, vary, real, kubelet }: Flags,
): Promise<string | undefined> {
  const isOther =
    real ||
    kubelet !== undefined ||
    seed !== undefined ||
    runtimeProfile !== undefined ||
    latency !== undefined ||
    vary !== undefined;
  return update || isOther ? undefined : readGolden(file);
}
