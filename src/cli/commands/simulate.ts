import { basename } from 'node:path';
import { Command, Option } from 'commander';
import { unknownImagesChoices } from '../../../adapters/memory/guess/facts.js';
import { positiveDurationSchema, wholeNumberSchema } from '../../base/input/schemas.js';
import { InputError } from '../../base/input/yaml.js';
import { kubeletVersions } from '../../kubelet/config/versions.js';
import { loadScenario } from '../../lab/scenario/file/load.js';
import { libraryFiles, scenarioFiles } from '../../lab/scenario/file/scenario-files.js';
import { outputFormats } from '../../lab/scenario/output/formats.js';
import { parseVaried } from '../../lab/scenario/vary/field.js';
import { kubeletVersionsOption } from '../options/kubelet-versions.js';
import { keepOption, option, readBy } from '../options/option.js';
import { runtimeProfilesSchema } from '../options/runtime-profiles.js';
import { refuseKeep } from '../options/without-effect.js';
import { outputFileSchema } from '../output/output-file.js';
import { exitingOnSignals } from '../signals.js';
import type { Flags } from './simulate/flags.js';
import type { Lines } from './simulate/report.js';
import { runScenarios, type SimulateParts } from './simulate/run-scenarios.js';

const EXAMPLES = `
Examples:
  $ mockri simulate web.yaml                             a pod, a deployment, or several of them
  $ kubectl get pod web -o yaml | mockri simulate -      its behavior is guessed from its status
  $ mockri simulate web.yaml --replicas 3 --until 30m --save web-scenario.yaml
  $ mockri simulate --list
  $ mockri simulate liveness-crash-loop
  $ mockri simulate liveness-crash-loop --explain --kubelet-version 1.30
  $ mockri simulate liveness-crash-loop --kubelet-version 1.28..1.37
  $ mockri simulate liveness-crash-loop --runtime-profile containerd-2.1,cri-o
  $ mockri simulate web.yaml --vary readinessProbe.periodSeconds=1,5,10
  $ mockri simulate liveness-crash-loop --output html > timeline.html
  $ mockri simulate liveness-crash-loop --kubelet 1.37

Exit code: 0 all expectations are met, 1 an expectation is not met (see stderr), 2 a file is invalid,
130 or 143 after Ctrl-C or SIGTERM.
`;

/** Options of runs, which `--list` does not accept. */
const NOT_LISTED =
  'output explain seed kubeletVersion runtimeProfile latency vary real socket kubelet record keep oracle replicas until save unknownImages update'.split(
    ' ',
  );

/** `mockri simulate` runs scenario files with a kubelet, a runtime and a clock in one process. */
export function simulateCommand(parts: SimulateParts): Command {
  const command = new Command('simulate')
    .description('run pods in virtual time, from manifests or scenarios, and check what scenarios expect')
    .argument(
      '[scenarios...]',
      'manifests, scenarios, directories, globs, - for standard input, or names from --list',
    );
  outputOptions(command);
  variantOptions(command);
  clockOptions(command);
  resultOptions(command);
  manifestOptions(command);
  return command
    .option('--update', 'write the golden files from this run')
    .addOption(new Option('--list', 'list the bundled scenarios').conflicts(NOT_LISTED))
    .addHelpText('after', EXAMPLES)
    .action(async (given: string[], flags: Flags) => {
      const lines: Lines = {
        out: (line) => process.stdout.write(`${line}\n`),
        err: (line) => process.stderr.write(`${line}\n`),
      };
      if (flags.list) return listScenarios(given, lines.out, flags.json);
      checkFlags(given, flags);
      process.exitCode = await exitingOnSignals(() =>
        runScenarios(scenarioFiles(given), flags, parts, lines),
      );
    });
}

const outputOptions = (command: Command): Command =>
  command
    .addOption(
      new Option(
        '-o, --output <format>',
        'table: rows as in kubectl get pod -w; json: rows as JSON lines, of several runs with file and run; events: Kubernetes events; timeline: everything that happens; html: a page with the timeline',
      ).choices(outputFormats),
    )
    .option(
      '--explain',
      'also print the symptom, the cause and the remedy, and explain each restart and each change of PLEG and node',
    );

const variantOptions = (command: Command): Command =>
  command
    .addOption(
      option(
        '--seed <seed>',
        "seed for all random numbers; default: the scenario's",
        wholeNumberSchema(0).transform(String),
      ),
    )
    .addOption(
      kubeletVersionsOption(
        `${kubeletVersions[0]} to ${kubeletVersions.at(-1)}; several (1.30,1.36 or 1.28..1.37) are compared in one table`,
      ),
    )
    .addOption(
      option(
        '--profile, --runtime-profile <names>',
        "runtime profile, or several to compare, such as containerd-2.1,cri-o; default: the scenario's",
        runtimeProfilesSchema,
      ),
    )
    .option(
      '--latency <choice>',
      "latency of the runtime: profile, none, or a file of times; default: the scenario's",
    )
    .addOption(
      option(
        '--vary <field>',
        'compare runs with other values of a field of the scenario or its manifests: latency, latency.pull=1s,1m, readinessProbe.periodSeconds=1,5,10; repeatable',
        readBy(parseVaried),
        { repeatable: true },
      ).conflicts('update'),
    );

const clockOptions = (command: Command): Command =>
  command
    .addOption(new Option('--real', 'run in real time, over a real unix socket').conflicts('socket'))
    .option('--socket', 'run in virtual time, over a real unix socket')
    .addOption(
      new Option(
        '--kubelet <program>',
        'a real kubelet built for virtual time, or its version, in place of the simulated one',
      ).conflicts(['real', 'socket', 'update', 'kubeletVersion']),
    );

const resultOptions = (command: Command): Command =>
  command
    .addOption(
      new Option('--json', 'print one JSON document per run; with --list, one per scenario').conflicts(
        'output',
      ),
    )
    .addOption(
      option(
        '--record <file>',
        'record each run into this file, compressed when it ends in .gz; several get numbers',
        outputFileSchema,
      ),
    )
    .addOption(keepOption('what --record does not redact', '; a page (html) has all by default'))
    .option('--oracle <file>', 'a module whose function checks the tape of each run');

const manifestOptions = (command: Command): Command =>
  command
    .addOption(
      option(
        '--replicas <number>',
        'number of pods per Deployment, StatefulSet, ReplicaSet and Job in manifests; default: one',
        wholeNumberSchema(0, 250),
      ),
    )
    .addOption(
      new Option(
        '--unknown-images <choice>',
        'containers with an unknown image and a command that is not simulated: run as a healthy server (default), or fail because their program is missing',
      ).choices(unknownImagesChoices),
    )
    .addOption(
      option(
        '--until <duration>',
        'run time of the manifests’ pods; default: 4m, or until each container has ended three times',
        positiveDurationSchema,
      ),
    )
    .addOption(
      option(
        '--save <file>',
        'write the manifests as a scenario into this file, with all guesses',
        outputFileSchema,
      ),
    );

/** Throws InputError when the arguments make no run. */
function checkFlags(given: readonly string[], flags: Flags): void {
  const isRecorded = flags.record !== undefined || flags.output === 'html';
  refuseKeep(flags.keep !== undefined, isRecorded, '--record or --output html');
  if (given.length === 0)
    throw new InputError([
      'specify manifests or a scenario: a file, a directory, - for standard input, or a name; --list prints the names',
    ]);
}

async function listScenarios(
  [given]: readonly string[],
  print: (line: string) => void,
  asJson = false,
): Promise<void> {
  if (given !== undefined)
    throw new InputError([`--list prints all scenarios; given ${JSON.stringify(given)} too`]);
  for (const file of libraryFiles()) {
    const { title, see, why, fix } = await loadScenario(file);
    const name = basename(file).replace(/\.ya?ml$/, '');
    print(asJson ? JSON.stringify({ name, title, see, why, fix, file }) : `${name.padEnd(32)} ${title}`);
  }
}
