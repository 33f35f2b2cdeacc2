import { accessSync, constants } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { z } from 'zod';
import { createRealClock } from '../../clock/real-clock.js';
import { type KnownFindings, readKnown } from '../../explore/causes/known.js';
import { type Exploration, type Explored, explore, isSavedExploration } from '../../explore/explore.js';
import { confirmAll } from '../../explore/real/confirm.js';
import { toJunit } from '../../explore/report/junit.js';
import { keyOf } from '../../explore/run/remember.js';
import { checkSelection } from '../../explore/selection.js';
import { loadSubject, withStaticPods, withVersion } from '../../explore/subject/subject.js';
import { wholeNumberSchema } from '../../input/schemas.js';
import { spareInputs } from '../../input/spare-inputs.js';
import { readTextFile } from '../../input/text-file.js';
import { InputError } from '../../input/yaml.js';
import { DEFAULT_KUBELET_VERSION } from '../../kubelet/config/versions.js';
import { isForVirtualTime, isVersion, kubeletProgram, minorOf } from '../../node/virtual/kubelet-program.js';
import { loadOracle } from '../../scenario/expect/oracle.js';
import type { LoadedScenario } from '../../scenario/file/loaded-scenario.js';
import { scenarioFiles } from '../../scenario/file/scenario-files.js';
import { budgetSchema } from '../options/budget.js';
import { kubeletVersionsOption } from '../options/kubelet-versions.js';
import { option, readBy } from '../options/option.js';
import { makeOutputDirectory } from '../output/output-directory.js';
import { outputFileSchema } from '../output/output-file.js';
import { keepState, noteFreshSearch, readState } from '../output/search-state.js';
import { withInterrupt } from '../signals.js';
import { createSearchProgress, type SearchProgress } from '../terminal/search-progress.js';
import { exploreMergeCommand } from './explore/merge.js';
import { newOption, publish } from './explore/outcome.js';
import { progressText } from './explore/progress.js';
import { summarize } from './explore/summarize.js';

const EXAMPLES = `
Examples:
  $ mockri explore web.yaml                              a minute of fault schedules for the pods of a manifest
  $ kubectl get deploy web -o yaml | mockri explore - --replicas 2
  $ mockri explore web.yaml --budget 500 --json | jq '.findings[].rule'
  $ mockri explore scenario.yaml --only event,restart --depth 2 --budget 10m
  $ mockri explore scenario.yaml --kubelet-version 1.28..1.37 --budget 300
  $ mockri explore run.tape.gz                           the pods of a recording
  $ mockri explore web.yaml --oracle never-oom.mjs       and a rule of your own
  $ mockri explore web.yaml --kubelet 1.37              on a real kubelet that was built for virtual time
  $ mockri explore web.yaml --kubelet both              what the simulated kubelet does differently
  $ mockri explore web.yaml --confirm /usr/bin/kubelet   and compare what is found with a real kubelet
  $ mockri explore scenario.yaml --shard 1/4 --out shard-1
  $ mockri explore merge shard-1 shard-2 shard-3 shard-4 --out all

docs/explore.md describes what is perturbed and which rules are checked.
Exit code: 0 no finding, 1 findings that are not known, 2 an invalid option or file, 130 or 143 after Ctrl-C or SIGTERM.
`;

const shardSchema = readBy((text) => {
  const [, index, of] = (/^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? []).map(Number);
  return index !== undefined && of !== undefined && index >= 1 && index <= of
    ? { index: index - 1, of }
    : undefined;
}, 'expected a shard such as "1/4"');

const someText = z.string().min(1);

interface Flags {
  readonly budget: z.output<typeof budgetSchema>;
  readonly seed: string;
  readonly depth: number;
  readonly only: string[];
  readonly replicas?: number;
  readonly known?: string;
  readonly oracle?: string;
  readonly out: string;
  readonly workers?: number;
  readonly kubeletVersion?: readonly string[];
  readonly kubelet?: string;
  readonly confirm?: string;
  readonly junit?: string;
  readonly shard: z.output<typeof shardSchema>;
  readonly resume: boolean;
  readonly json: boolean;
  readonly new: boolean;
}

/** `mockri explore`: looks for the faults that break the rules of kubelet and runtime. */
export function exploreCommand(): Command {
  const command = new Command('explore')
    // `merge` has its own --out and --json.
    .enablePositionalOptions()
    .description(
      'try faults at every point of a scenario, and reduce what breaks a rule to the least that does',
    )
    .argument(
      '<scenarios...>',
      'manifests, a scenario, a tape, - for standard input, or a name from "mockri simulate --list"',
    );
  searchOptions(command);
  findingOptions(command);
  runOptions(command);
  return partOptions(command)
    .option('--json', 'print one JSON object: schedules, perSecond, coverage, finished, findings, causes')
    .addHelpText('after', EXAMPLES)
    .addCommand(exploreMergeCommand())
    .action((files: string[], flags: Partial<Flags>) =>
      exploreFiles(files, { only: [], resume: false, json: false, new: false, ...flags } as Flags),
    );
}

/** What is tried, and for how long. */
const searchOptions = (command: Command): Command =>
  command
    .addOption(
      option(
        '--budget <budget>',
        'how long the search takes ("10m"), or how many schedules it tries ("500"); then it reduces its findings',
        budgetSchema,
      ).default({ time: 60_000 }, '60s'),
    )
    .addOption(
      option('--seed <seed>', 'seed of the random schedules', wholeNumberSchema(0).transform(String)).default(
        '1',
      ),
    )
    .addOption(
      option(
        '--depth <number>',
        'perturbations in one schedule, at most; 1 to 5',
        wholeNumberSchema(1, 5),
      ).default(2),
    )
    .addOption(
      option(
        '--only <list>',
        'families, kinds or methods of perturbations, separated by commas: restart,StartContainer',
        readBy((text) => text.split(',').map((word) => word.trim())),
      ),
    )
    .addOption(
      option(
        '--replicas <number>',
        'pods of each Deployment, StatefulSet, ReplicaSet and Job of the manifests; default: one',
        wholeNumberSchema(0, 250),
      ),
    );

/** What is a finding, and where findings are kept. */
const findingOptions = (command: Command): Command =>
  command
    .option('--known <file>', 'YAML file of findings that are accepted: they do not fail')
    .addOption(newOption())
    .addOption(
      option(
        '--oracle <file>',
        'a module whose function says what is wrong with the tape of a run',
        someText,
      ),
    )
    .addOption(
      option(
        '--out <directory>',
        'directory for the findings, findings.json and the state of the search',
        someText,
      ).default('explore-findings'),
    );

/** What runs the schedules. */
const runOptions = (command: Command): Command =>
  command
    .addOption(
      option(
        '--workers <number>',
        'threads; 0 for none but the main one (default: one for each core)',
        wholeNumberSchema(0, 256),
      ),
    )
    .addOption(
      kubeletVersionsOption(
        '1.36, 1.30,1.36 or 1.28..1.37: several give a table; default: that of the scenario',
      ),
    )
    .addOption(
      option(
        '--kubelet <program>',
        'a real kubelet that was built for virtual time, or its version: it runs the schedules instead of the simulated one; both: each runs them, and what differs is a finding',
        someText,
      ),
    )
    .addOption(
      option(
        '--confirm <program>',
        'a real kubelet that is to confirm the findings: in virtual time if it was built for that, else in real time, as root',
        someText,
      ),
    );

/** What this process reports, and which part of the search it does. */
const partOptions = (command: Command): Command =>
  command
    .addOption(option('--junit <file>', 'file for a JUnit report', outputFileSchema))
    .addOption(
      option(
        '--shard <i/n>',
        'the part of the search that this process does, such as 2/4',
        shardSchema,
      ).default({ index: 0, of: 1 }, '1/1'),
    )
    .option(
      '--resume',
      'continue an exploration that ended early, with the same options and --out; without one it begins',
    );

async function exploreFiles(given: readonly string[], flags: Flags): Promise<void> {
  const files = scenarioFiles(given);
  spareInputs('--junit', flags.junit, files);
  const known: KnownFindings = flags.known === undefined ? () => undefined : readKnown(flags.known);
  const confirms = flags.confirm === undefined ? undefined : confirmingKubelet(flags.confirm);
  const loaded = await loadSubject(files, flags);
  const scenario = confirms?.isVirtual === false ? withStaticPods(loaded) : loaded;
  const program = programOf(flags, scenario);
  const versions = versionsOf(flags, program);
  const subjects = versions.map((version) => withVersion(scenario, version));
  await checkSelection(subjects, flags.only);
  if (flags.resume) noteFreshSearch(flags.out, versions.map(stateFile));
  await makeOutputDirectory(flags.out, '--out');
  const oracle = flags.oracle === undefined ? undefined : await loadOracle(flags.oracle);
  const progress = createSearchProgress(process.stderr, createRealClock());
  const { result: summary, interrupted } = await withInterrupt(async (signal) => {
    const parts: Exploration[] = [];
    for (const version of versions)
      parts.push(await exploreVersion(scenario, version, program, flags, progress, signal));
    const found = new Map<string, Explored>();
    for (const each of parts.flatMap(({ findings }) => findings))
      if (!found.has(each.kind)) found.set(each.kind, each);
    const all = [...found.values()];
    const summary = await summarize(all, parts, {
      ...flags,
      versions,
      known,
      ownRule: oracle,
      ...program,
      signal,
    });
    if (confirms === undefined) return summary;
    const options = { ...confirms, clock: createRealClock(), signal, oracle };
    const verdicts = await confirmAll(all, options, (done) =>
      progress.note(`${done} of ${all.length} findings tried with ${flags.confirm}`),
    );
    await progress.end();
    const findings = summary.findings.map((each, index) => ({ ...each, real: verdicts[index] }));
    return { ...summary, findings };
  });
  const result = { ...summary, ...loaded.assumed, finished: interrupted === undefined };
  if (flags.junit !== undefined) await writeReport(flags.junit, toJunit(result));
  const code = await publish(result, flags);
  process.exitCode = interrupted ?? code;
}

/** Explores with one version of the kubelet, and keeps the state of the search on disk. */
async function exploreVersion(
  scenario: LoadedScenario,
  version: string | undefined,
  program: SearchedProgram | undefined,
  flags: Flags,
  progress: SearchProgress,
  signal: AbortSignal,
): Promise<Exploration> {
  const { seed, depth, only, shard, oracle } = flags;
  const ownRule = oracle === undefined ? undefined : readTextFile(oracle, '--oracle');
  const key = keyOf(
    scenario,
    version,
    program?.program,
    program?.compares,
    seed,
    depth,
    only,
    shard,
    ownRule,
  );
  const state = join(flags.out, stateFile(version));
  const explored = await explore({
    ...flags,
    ...program,
    scenario: withVersion(scenario, version),
    workers: flags.workers ?? availableParallelism(),
    clock: createRealClock(),
    signal,
    saved: flags.resume ? readState(state, key, isSavedExploration) : undefined,
    onProgress: (now, save) => progress.show(progressText(now, version), () => keepState(state, key, save())),
  });
  await progress.end();
  return explored;
}

/** The name of the file with the state of the search with one version. */
const stateFile = (version: string | undefined): string =>
  `state${version === undefined ? '' : `-${version}`}.json`;

async function writeReport(file: string, text: string): Promise<void> {
  await writeFile(file, text).catch((error: NodeJS.ErrnoException) => {
    throw new InputError([`--junit: ${file} cannot be written: ${error.code}`]);
  });
}

/** The kubelet program that runs the schedules. */
interface SearchedProgram {
  readonly program: string;
  readonly version: string;
  /** The thin kubelet runs them as well. */
  readonly compares: boolean;
}

/** What --kubelet names; of `both`, the program of the version that was asked for, or that of the scenario. */
function programOf(
  { kubelet, kubeletVersion }: Flags,
  scenario: LoadedScenario,
): SearchedProgram | undefined {
  if (kubelet === undefined) return undefined;
  const compares = kubelet === 'both';
  if (kubeletVersion !== undefined && !compares)
    throw new InputError(['--kubelet and --kubelet-version exclude each other: the program has its version']);
  const [version = scenario.kubelet.version ?? DEFAULT_KUBELET_VERSION, more] = kubeletVersion ?? [];
  if (more !== undefined)
    throw new InputError([
      `--kubelet both: given --kubelet-version "${kubeletVersion?.join()}"; expected one version`,
    ]);
  const program = kubeletProgram(compares ? version : kubelet, '--kubelet');
  return { program: program.path, version: minorOf(program), compares };
}

/** The versions that were asked for, or that of the program. */
function versionsOf(flags: Flags, program: SearchedProgram | undefined): readonly (string | undefined)[] {
  if (program !== undefined) return [program.version];
  return flags.kubeletVersion ?? [undefined];
}

/** A kubelet that confirms findings: in virtual time if it was built for that. */
function confirmingKubelet(program: string): { readonly program: string; readonly isVirtual: boolean } {
  if (isVersion(program)) return { program: kubeletProgram(program, '--confirm').path, isVirtual: true };
  try {
    accessSync(program, constants.X_OK);
  } catch (error) {
    throw new InputError([
      `--confirm: ${program} cannot be started: ${(error as NodeJS.ErrnoException).code}; expected the path of a kubelet`,
    ]);
  }
  if (isForVirtualTime(program))
    return { program: kubeletProgram(program, '--confirm').path, isVirtual: true };
  if (process.getuid?.() !== 0) throw new InputError(['--confirm: a kubelet must be started by root']);
  return { program, isVirtual: false };
}
