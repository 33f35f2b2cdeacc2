import { createRealClock } from '../../../base/clock/real-clock.js';
import { createVirtualClock } from '../../../base/clock/virtual-clock.js';
import { packageVersion } from '../../../base/input/package-version.js';
import { spareInputs } from '../../../base/input/spare-inputs.js';
import { InputError } from '../../../base/input/yaml.js';
import { kubeletProgram, minorOf } from '../../../kubelet/hosts/virtual/kubelet-program.js';
import { type ComparedRun, compareRuns } from '../../../lab/scenario/compare/comparison.js';
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
import { type ChosenRun, chosenRuns, isComparable, isCompared } from './chosen-runs.js';
import type { Flags } from './flags.js';
import { createSimulationPage, type SimulationPage } from './page.js';
import { createReport, type Lines, type Report } from './report.js';

/** Recording options of `mockri simulate`. */
interface RecordingFlags {
  readonly record?: string;
  readonly keep?: Redaction[];
}

export type SimulateParts = Pick<SimulationOptions, 'backend'>;

/** Resolves with the exit code: 1 if an expectation is not met. Throws InputError for a mistake in a file. */
export async function runScenarios(
  files: readonly string[],
  flags: Flags,
  parts: SimulateParts,
  lines: Lines,
): Promise<number> {
  spareInputs('--save', flags.save, files);
  const { scenarios, made } = await loadInputs(files, flags);
  if (flags.save !== undefined) await saveScenario(flags.save, made);
  const program = flags.kubelet === undefined ? undefined : kubeletProgram(flags.kubelet, '--kubelet');
  const versions = program === undefined ? flags.kubeletVersion : [minorOf(program)];
  const oracle = flags.oracle === undefined ? undefined : await loadOracle(flags.oracle);
  const page = flags.output === 'html' ? createSimulationPage(scenarios, flags.keep) : undefined;
  const choice = versions === undefined ? flags : { ...flags, kubeletVersion: versions };
  const chosen = await Promise.all(scenarios.map((scenario) => chosenRuns(scenario, choice)));
  const total = chosen.flat().length;
  const report = createReport(total, flags, page === undefined ? lines : { ...lines, out: () => {} });
  const session: Session = {
    flags,
    versions,
    program: program?.path,
    programs: program === undefined ? new Map() : upgradesOf(scenarios),
    parts,
    oracle,
    page,
    total,
    report,
    begun: 0,
    failed: 0,
  };
  for (const [index, scenario] of scenarios.entries())
    await runScenario(session, scenario, chosen[index] ?? []);
  report.close(session.failed);
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
  readonly versions: readonly string[] | undefined;
  readonly program: string | undefined;
  readonly programs: ReadonlyMap<string, string>;
  readonly parts: SimulateParts;
  readonly oracle: Awaited<ReturnType<typeof loadOracle>> | undefined;
  readonly page: SimulationPage | undefined;
  readonly total: number;
  readonly report: Report;
  begun: number;
  failed: number;
}

async function runScenario(
  session: Session,
  scenario: LoadedScenario,
  runs: readonly ChosenRun[],
): Promise<void> {
  const { flags, versions, report, page } = session;
  const golden = await goldenOf(scenario, flags);
  const done: GoldenRun[] = [];
  const compared: ComparedRun[] = [];
  for (const run of runs) {
    const { result, problems: broken } = await record(session, run);
    compared.push({ name: columnOf(run, runs), version: versionOf(run.scenario), result });
    const timeline = { name: run.name, lines: timelineText(result) };
    // The golden file has no run for a requested version without a variant.
    const isKept = golden !== undefined && (versions === undefined || hasRun(golden, run.name));
    const difference = isKept ? goldenDifference(golden, timeline) : undefined;
    const problems = [
      ...broken,
      ...(difference === undefined ? [] : [difference]),
      ...neverRan(session, result),
    ];
    report.end(run, result, problems);
    page?.end(result, problems);
    if (problems.length > 0) session.failed++;
    done.push(timeline);
  }
  if (isComparable(flags)) showSideBySide(session, scenario, compared);
  if (flags.update) await writeGolden(scenario.file, goldenText(scenario.title, done));
}

/** A kubelet program that exits at every start: a run in which nothing happens must not look successful. */
const neverRan = ({ program }: Session, { kubelets, rows }: Simulation): readonly string[] =>
  program !== undefined && rows.length === 0 && kubelets.some(({ what }) => what === 'exited')
    ? ['no pod was ever run: the kubelet ended before']
    : [];

/** Column title of a run: its kubelet or values, or its whole name if several runs share these. */
const columnOf = ({ name, column }: ChosenRun, runs: readonly ChosenRun[]): string =>
  runs.filter((run) => run.column === column).length > 1 ? name : column;

function showSideBySide(
  { flags, report, page }: Session,
  scenario: LoadedScenario,
  runs: readonly ComparedRun[],
): void {
  const comparison = compareRuns(runs);
  const indexOf = (name: string) => runs.findIndex((run) => run.name === name);
  page?.compare(
    comparison.columns.map((column) => column.map(indexOf)),
    comparison,
  );
  if (isCompared(flags)) report.compare(scenario, comparison);
}

async function record(session: Session, run: ScenarioRun) {
  const { flags, program, programs, parts, oracle, page, report, total } = session;
  const about = tapeAbout(flags, run);
  const recording = createRunRecording(flags, ++session.begun, total, about);
  const tape = createTape(flags.real ? createRealClock() : createVirtualClock());
  page?.begin(run.name, tape, about);
  await recording?.start(tape);
  const done = await simulateChecked({
    tape,
    ...parts,
    ...report.begin(run),
    ...optionsOf(flags),
    program,
    programOf: (version) => programs.get(version) ?? '',
    oracle,
    scenario: run.scenario,
  });
  await recording?.close();
  return done;
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
