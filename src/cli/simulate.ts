import { basename } from 'node:path';
import { Command, Option } from 'commander';
import { createRealClock } from '../clock/real-clock.js';
import { packageVersion } from '../input/package-version.js';
import { wrapTimed } from '../input/wrap.js';
import { checkInput, InputError } from '../input/yaml.js';
import { DEFAULT_KUBELET_VERSION, kubeletVersions, versionProfile } from '../kubelet/config/profile.js';
import { type RuntimeProfileName, runtimeProfileNames } from '../profiles/index.js';
import { simulateChecked } from '../scenario/checked-run.js';
import { explain } from '../scenario/explain/explain.js';
import { storyLines } from '../scenario/explain/story.js';
import {
  type GoldenRun,
  goldenDifference,
  goldenText,
  hasRun,
  readGolden,
  writeGolden,
} from '../scenario/golden.js';
import { loadScenario } from '../scenario/load.js';
import type { LoadedScenario } from '../scenario/loaded-scenario.js';
import { loadOracle } from '../scenario/oracle.js';
import { createLineWriter, type OutputFormat, outputFormats } from '../scenario/output.js';
import type { Simulation } from '../scenario/run.js';
import { libraryFiles, scenarioFiles } from '../scenario/scenario-files.js';
import type { SimulationOptions } from '../scenario/simulation.js';
import { timelineText } from '../scenario/timeline.js';
import { runsOf, type ScenarioRun } from '../scenario/variants.js';
import type { About } from '../tape/header.js';
import { keepSchema, type Redaction, redactions } from '../tape/keep.js';
import { createSimulationPage } from './simulation-page.js';
import { createRunRecording } from './simulation-recording.js';

interface Flags {
  readonly output?: OutputFormat;
  readonly seed?: string;
  readonly kubeletVersion?: string;
  readonly profile?: RuntimeProfileName;
  readonly latency?: string;
  readonly explain?: boolean;
  readonly list?: boolean;
  readonly json?: boolean;
  readonly update?: boolean;
  readonly oracle?: string;
  readonly real?: boolean;
  readonly socket?: boolean;
  readonly record?: string;
  readonly keep?: Redaction[];
}

/** Dependencies of a simulation, in addition to its scenario. */
export type SimulateParts = Pick<SimulationOptions, 'backend' | 'codeOf'>;

/** Exit codes after Ctrl-C and SIGTERM: 128 and the signal's number. */
const INTERRUPTED = 130;
const TERMINATED = 143;

const EXAMPLES = `
Examples:
  $ mockri simulate --list
  $ mockri simulate liveness-crash-loop
  $ mockri simulate liveness-crash-loop --explain --kubelet-version 1.30
  $ mockri simulate liveness-crash-loop --profile containerd-2.1
  $ mockri simulate liveness-crash-loop --output html > timeline.html

Exit code: 0 all expectations are met, 1 an expectation is not met (see stderr), 2 a file is invalid,
130 or 143 after Ctrl-C or SIGTERM.
`;

/** Output of results, and of problems and progress. */
interface Lines {
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
}

/** `mockri simulate`: runs scenario files with a kubelet, a runtime and a clock in one process. */
export function simulateCommand(parts: SimulateParts): Command {
  return new Command('simulate')
    .description('run scenarios in virtual time, and check their expectations')
    .argument('[scenarios...]', 'files, directories, globs, or names from --list')
    .addOption(
      new Option(
        '--output <format>',
        'table: rows as in kubectl get pod -w; json: rows as JSON lines; events: Kubernetes events; timeline: everything that happens; html: a page with the timeline',
      ).choices(outputFormats),
    )
    .option(
      '--explain',
      'also explain what is seen, why, what helps, and why each restart waited and PLEG and node changed',
    )
    .option('--seed <seed>', "seed for all random numbers; default: the scenario's")
    .option('--kubelet-version <version>', `${kubeletVersions[0]} to ${kubeletVersions.at(-1)}`)
    .addOption(
      new Option('--profile <name>', "runtime that answers; default: the scenario's").choices(
        runtimeProfileNames,
      ),
    )
    .option(
      '--latency <choice>',
      "how long the runtime takes: profile, none, or a file of times; default: the scenario's",
    )
    .addOption(new Option('--real', 'run in real time, over a real unix socket').conflicts('socket'))
    .option('--socket', 'run in virtual time, over a real unix socket')
    .addOption(
      new Option('--json', 'print one JSON document per run; with --list, one per scenario').conflicts(
        'output',
      ),
    )
    .option(
      '--record <file>',
      'record each run into this file, compressed when it ends in .gz; several get numbers',
    )
    .addOption(
      new Option(
        '--keep <list>',
        `what --record does not redact: ${redactions.join(', ')}, or all; a page (html) has all by default`,
      ).argParser((text: string) => checkInput(text, keepSchema, '--keep')),
    )
    .option('--oracle <file>', 'a module whose function says what is wrong with the tape of each run')
    .option('--update', 'write the golden files from this run')
    .option('--list', 'list the scenarios that come with Mockri')
    .addHelpText('after', EXAMPLES)
    .action(async (given: string[], flags: Flags) => {
      const lines: Lines = {
        out: (line) => process.stdout.write(`${line}\n`),
        err: (line) => process.stderr.write(`${line}\n`),
      };
      if (flags.list) return listScenarios(lines.out, flags.json);
      if (flags.kubeletVersion !== undefined) versionProfile(flags.kubeletVersion, { gates: {} });
      if (given.length === 0)
        throw new InputError(['specify a scenario: a file, a directory, or a name; --list prints the names']);
      // Without a handler the process would end immediately, without its exit handlers.
      process.once('SIGINT', () => process.exit(INTERRUPTED)).once('SIGTERM', () => process.exit(TERMINATED));
      process.exitCode = await runScenarios(scenarioFiles(given), flags, parts, lines);
    });
}

async function listScenarios(print: (line: string) => void, asJson = false): Promise<void> {
  for (const file of libraryFiles()) {
    const { title, see, why, fix } = await loadScenario(file);
    const name = basename(file).replace(/\.ya?ml$/, '');
    print(asJson ? JSON.stringify({ name, title, see, why, fix, file }) : `${name.padEnd(32)} ${title}`);
  }
}

/** Resolves with the exit code: 1 when an expectation is not met. Throws InputError for a mistake in a file. */
export async function runScenarios(
  files: readonly string[],
  flags: Flags,
  parts: SimulateParts,
  lines: Lines,
): Promise<number> {
  const scenarios = await Promise.all(files.map(loadScenario));
  const oracle = flags.oracle === undefined ? undefined : await loadOracle(flags.oracle);
  const page = flags.output === 'html' ? createSimulationPage(scenarios, flags.keep) : undefined;
  const total = scenarios.reduce((sum, scenario) => sum + runsOf(scenario, flags.kubeletVersion).length, 0);
  const report = createReport(total, flags, page === undefined ? lines : { ...lines, out: () => {} });
  let failed = 0;
  let begun = 0;
  for (const scenario of scenarios) {
    const golden = await goldenOf(scenario, flags);
    const done: GoldenRun[] = [];
    for (const run of runsOf(scenario, flags.kubeletVersion)) {
      const about = tapeAbout(flags, run);
      const recording = createRunRecording(flags, ++begun, total, about);
      const { result, problems: broken } = await simulateChecked({
        onTape: async (tape) => {
          page?.begin(run.name, tape, about);
          await recording?.start(tape);
        },
        onOver: () => {
          page?.over();
          recording?.over();
        },
        ...parts,
        ...report.begin(run),
        ...optionsOf(flags),
        oracle,
        scenario: run.scenario,
      });
      await recording?.close();
      const timeline = { name: run.name, lines: timelineText(result) };
      // The golden file has no run of a version that was asked for and that no variant is for.
      const isKept = golden !== undefined && (flags.kubeletVersion === undefined || hasRun(golden, run.name));
      const difference = isKept ? goldenDifference(golden, timeline) : undefined;
      const problems = [...broken, ...(difference === undefined ? [] : [difference])];
      report.end(run, result, problems);
      page?.end(result, problems);
      if (problems.length > 0) failed++;
      done.push(timeline);
    }
    if (flags.update) await writeGolden(scenario.file, goldenText(scenario.title, done));
  }
  report.close(failed);
  if (page !== undefined) lines.out(page.text());
  return failed === 0 ? 0 : 1;
}

const optionsOf = ({ seed, profile, latency, real, socket }: Flags) => ({
  seed,
  profile,
  latency,
  time: real ? ('real' as const) : ('virtual' as const),
  over: real || socket ? ('socket' as const) : ('process' as const),
});

/** What the header of a run's tape says. */
const tapeAbout = ({ seed, kubeletVersion, profile }: Flags, { scenario }: ScenarioRun): About => ({
  recorder: `mockri ${packageVersion()}`,
  profile: profile ?? scenario.runtime,
  runtime: { name: 'mockri', version: packageVersion(), apiVersion: 'v1' },
  kubelet: kubeletVersion ?? scenario.kubelet.version ?? DEFAULT_KUBELET_VERSION,
  seed: seed ?? String(scenario.seed),
});

/** Golden files apply only to the unchanged scenario: with its own seed and runtime, in virtual time. */
async function goldenOf(
  { file }: LoadedScenario,
  { update, seed, profile, latency, real }: Flags,
): Promise<string | undefined> {
  const isOther = real || seed !== undefined || profile !== undefined || latency !== undefined;
  return update || isOther ? undefined : readGolden(file);
}

/** Width of explanations where there is no terminal, and the least that they are wrapped to. */
const WIDTH = 120;
const LEAST_WIDTH = 40;

/** Reports runs as they proceed: in full, or several in one line each unless an output or explanations were asked for. */
function createReport(total: number, flags: Flags, { out, err }: Lines) {
  const clock = createRealClock();
  const inFull = !flags.json && (flags.output !== undefined || total === 1 || flags.explain === true);
  const explains = flags.explain === true && !flags.json;
  const width = Math.max(LEAST_WIDTH, process.stdout.columns ?? WIDTH);
  const writer = createLineWriter(flags.output ?? 'table');
  let begun = 0;
  let finished = 0;
  let explained: string | undefined;
  const progress = (text: string) => {
    if (process.stderr.isTTY && total > 1) process.stderr.write(`\r\u001b[K${text}`);
  };
  const print = (line: string | undefined) => {
    if (inFull && line !== undefined) out(line);
  };

  return {
    begin: ({ name, scenario }: ScenarioRun): Pick<SimulationOptions, 'onRow' | 'onEvent'> => {
      begun = clock.elapsed();
      progress(`[${finished + 1}/${total}] ${scenario.file}, ${name}`);
      if (explains && explained !== scenario.file) for (const line of storyLines(scenario, width)) out(line);
      explained = scenario.file;
      if (total > 1)
        print(explains ? `${scenario.file}, ${name}` : `${scenario.file}: ${scenario.title}, ${name}`);
      for (const line of writer.header) print(line);
      return { onRow: (row) => print(writer.row(row)), onEvent: (event) => print(writer.event(event)) };
    },
    end: ({ name, scenario }: ScenarioRun, result: Simulation, problems: readonly string[]): void => {
      finished++;
      progress('');
      for (const line of writer.whole(result)) print(line);
      if (flags.json) out(jsonOf(name, scenario, result, problems));
      if (explains) for (const line of ['', ...explain(result), '']) out(wrapTimed(line, width));
      if (total > 1 && !inFull && !flags.json) {
        const seconds = ((clock.elapsed() - begun) / 1000).toFixed(1);
        out(`${problems.length === 0 ? 'ok    ' : 'FAILED'} ${scenario.file}  ${name}  ${seconds}s`);
      }
      for (const problem of problems) err(`${scenario.file}, ${name}: ${problem}`);
    },
    close: (failed: number): void => {
      if (total > 1 && !flags.json) out(`${total} runs, ${failed} failed`);
    },
  };
}

/** A run as one line of JSON. */
function jsonOf(
  run: string,
  { file, title }: LoadedScenario,
  result: Simulation,
  problems: readonly string[],
): string {
  const { rows, events, nodes, faults, steps, log, calls } = result;
  const happened = { rows, events, nodes, faults, steps, log, calls, explanation: explain(result) };
  return JSON.stringify({ file, title, run, passed: problems.length === 0, problems, ...happened });
}
