import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { createRealClock } from '../../base/clock/real-clock.js';
import { bundledIn, bundledNamed } from '../../base/input/bundled.js';
import { counted } from '../../base/input/counted.js';
import { InputError, parseYaml } from '../../base/input/yaml.js';
import { shellWord } from '../../base/markup/shell-word.js';
import { findPrograms } from '../../lab/cluster/control/programs.js';
import { exploreCluster } from '../../lab/cluster/explore/explore.js';
import { type LoadedCluster, loadCluster } from '../../lab/cluster/file/load.js';
import { faultSchema } from '../../lab/cluster/file/schema.js';
import { type ClusterEntry, runCluster } from '../../lab/cluster/run-cluster.js';
import { staleViewText } from '../../lab/cluster/stale-view.js';
import { budgetSchema } from '../options/budget.js';
import { addOptions, defineOptions, type OptionsOf } from '../options/define-options.js';
import { withInterrupt } from '../signals.js';
import { createProgressLine } from '../terminal/progress-line.js';

const EXAMPLES = `
Examples:
  $ mockri cluster --list
  $ mockri cluster stale-replicaset --explain       Kubernetes 129795: too many pods after a late watch, and why
  $ mockri cluster operator.yaml --logs --calls     also the log of each program, and what it writes
  $ mockri cluster operator.yaml --json
  $ mockri cluster operator.yaml --hold             then use kubectl with the KUBECONFIG that it prints
  $ mockri cluster operator.yaml --explore          a fault at each write and watch event of the operator

A run builds no program. If one is missing, the error names the command that builds it (mockri kubelet-build). The file format is in
schemas/cluster.schema.json and docs/operators.md.

The programs run with your rights and in the network of this machine: use only programs that you trust.

Exit code: 0 all expectations are met, 1 an expectation is not met or a program ended (see stderr), 2 the file is invalid,
130 or 143 after Ctrl-C or SIGTERM before the end; Ctrl-C during --hold ends with 0 or 1. No process remains.
`;

const options = defineOptions({
  '--logs': { about: 'also print what the programs log' },
  '--calls': { about: 'also print what the programs write to the API server' },
  '--explain': {
    about: 'also say which writes were made on a stale view, what the program had not seen, and why',
    conflicts: ['explore', 'list'],
  },
  '--json': { about: 'print one JSON document at the end, with all of it', conflicts: ['logs', 'calls'] },
  '--hold': {
    about: 'keep the cluster after the end for kubectl, in real time, until Ctrl-C',
    conflicts: ['json', 'explore', 'list'],
  },
  '--fault <fault>': { about: 'one more fault, as --explore prints it' },
  '--explore': {
    about: 'try a fault at each write and watch event of the programs',
    conflicts: ['logs', 'calls', 'list'],
  },
  '--budget <budget>': {
    about: 'how long --explore searches: a duration, or a number of runs (default 10m)',
    schema: budgetSchema,
  },
  '--list': { about: 'list the bundled scenarios' },
});
type Flags = OptionsOf<typeof options>;

/** `mockri cluster` runs a control plane and operators on one virtual clock. */
export function clusterCommand(): Command {
  return addOptions(new Command('cluster'), options)
    .description(
      'run a real control plane and operators in virtual time, with faults between them and the API server',
    )
    .argument('[scenario]', 'a file, or a name from --list')
    .addHelpText('after', EXAMPLES)
    .action(async (given: string | undefined, flags: Flags) => {
      if (flags.list) return listScenarios();
      if (given === undefined)
        throw new InputError(['specify a scenario: a file or a name; --list prints the names']);
      if (flags.budget !== undefined && !flags.explore)
        throw new InputError(['--budget: no effect without --explore']);
      const loaded = load(given, flags);
      process.exitCode = await (flags.explore ? explore(given, loaded, flags) : run(loaded, flags));
    });
}

const bundled = () => bundledIn('scenarios/cluster', '.yaml');

function listScenarios(): void {
  for (const [name, file] of bundled()) print(`${name.padEnd(32)} ${loadCluster(file).scenario.title}`);
}

const fileOf = (given: string): string =>
  existsSync(given)
    ? given
    : bundledNamed(given, bundled(), { kind: 'scenario', or: 'file', command: 'cluster' });

const load = (given: string, { fault }: Flags): LoadedCluster =>
  loadCluster(fileOf(given), fault === undefined ? [] : [parseYaml(fault, faultSchema, '--fault')]);

async function run(loaded: LoadedCluster, { json, logs, calls, hold, explain }: Flags): Promise<number> {
  const programs = findPrograms(loaded.scenario, loaded.file);
  const entries: ClusterEntry[] = [];
  const shown = (each: ClusterEntry) =>
    each.kind === 'call' ? (calls ?? each.stale) : each.kind !== 'log' || logs;
  const entry = (each: ClusterEntry) => {
    if (json) entries.push(each);
    else if (shown(each)) print(lineOf(each));
  };
  let isHeld = false;
  const ready = (kubeconfig: string) => {
    isHeld = true;
    print(
      `the scenario has ended, and the cluster stands until Ctrl-C: export KUBECONFIG=${shellWord(kubeconfig)}`,
    );
  };
  const { result, interrupted } = await withInterrupt((signal) =>
    runCluster(loaded, programs, {
      ...{ signal, entry, explain },
      ...(hold && { hold: { machine: createRealClock(), ready } }),
    }),
  );
  if (json)
    print(JSON.stringify({ version: 1, title: loaded.scenario.title, entries, ...result }, undefined, 2));
  for (const finding of result.findings) process.stderr.write(`mockri: ${finding}\n`);
  return (isHeld ? undefined : interrupted) ?? (result.findings.length > 0 ? 1 : 0);
}

async function explore(
  given: string,
  loaded: LoadedCluster,
  { json, budget = { time: 600_000 } }: Flags,
): Promise<number> {
  const programs = findPrograms(loaded.scenario, loaded.file);
  const clock = createRealClock();
  const line = createProgressLine(process.stderr, clock, { every: 200, elsewhere: 60_000 });
  const { time = Number.POSITIVE_INFINITY, schedules = Number.POSITIVE_INFINITY } = budget;
  let runs = 0;
  const { result, interrupted } = await withInterrupt((signal) =>
    exploreCluster(loaded, programs, {
      signal,
      isOver: () => clock.elapsed() >= time || runs >= schedules,
      progress: (tried, tries, fault) => {
        runs = tried + 1;
        line.show(`${tried} of ${tries} faults tried: ${fault}`);
      },
      found: ({ fault, problems }) => {
        line.clear();
        if (json) return;
        print(`FINDING ${fault.name}: ${problems.join('; ')}`);
        print(`  npx mockri cluster ${shellWord(given)} --fault ${shellWord(JSON.stringify(fault))}`);
      },
    }),
  );
  line.clear();
  if (json) print(JSON.stringify({ version: 1, title: loaded.scenario.title, ...result }, undefined, 2));
  else print(`${result.tried} of ${result.tries} faults tried, ${counted(result.found.length, 'finding')}`);
  return interrupted ?? (result.found.length > 0 ? 1 : 0);
}

function lineOf(entry: ClusterEntry): string {
  return `${(entry.time / 1000).toFixed(3).padStart(9)}s  ${textOf(entry)}`;
}

function textOf(entry: ClusterEntry): string {
  switch (entry.kind) {
    case 'row': {
      const cells = Object.values(entry.cells).join('  ');
      return `${entry.object}  ${cells}${entry.type === 'DELETED' ? '  deleted' : ''}`;
    }
    case 'call': {
      const explained = entry.stale ? `; ${staleViewText(entry.time, entry.stale)}` : '';
      return `${entry.program}: ${entry.verb} ${entry.object}: ${entry.status ?? 'connection broken'}${explained}`;
    }
    case 'fault':
      return `fault ${entry.fault}: ${entry.program}: ${entry.object}`;
    case 'log':
      return `${entry.program} | ${entry.text}`;
    case 'finding':
      return `FINDING ${entry.text}`;
    case 'step':
      return `> ${entry.text}`;
  }
}

const print = (text: string) => process.stdout.write(`${text}\n`);
