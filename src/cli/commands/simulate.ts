import { Command } from 'commander';
import { InputError } from '../../base/input/yaml.js';
import { loadScenario } from '../../lab/scenario/file/load.js';
import { library, scenarioFiles } from '../../lab/scenario/file/scenario-files.js';
import { addOptions } from '../options/define-options.js';
import { refuseKeep } from '../options/without-effect.js';
import { exitingOnSignals } from '../signals.js';
import { type Flags, options } from './simulate/flags.js';
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
  $ mockri simulate liveness-crash-loop --runtime-profile containerd-2.4,cri-o
  $ mockri simulate web.yaml --kubelet 1.30..1.37 --runtime-profile containerd-2.3,cri-o-1.36 --output matrix
  $ mockri simulate web.yaml --kubelet-version 1.30..1.37 --upgrade next
  $ mockri simulate web.yaml --vary readinessProbe.periodSeconds=1,5,10
  $ mockri simulate liveness-crash-loop --output html > timeline.html
  $ mockri simulate liveness-crash-loop --kubelet 1.37

Exit code: 0 all expectations are met, 1 an expectation is not met (see stderr), an upgrade does more than a restart,
or --budget left runs out, 2 a file is invalid, 130 or 143 after Ctrl-C or SIGTERM.
`;

/** `mockri simulate` runs scenario files with a kubelet, a runtime and a clock in one process. */
export function simulateCommand(parts: SimulateParts): Command {
  return addOptions(new Command('simulate'), options)
    .description(
      'run pods in virtual time, from manifests or scenarios, and check the expectations of scenarios',
    )
    .argument(
      '[scenarios...]',
      'manifests, scenarios, directories, globs, - for standard input, or names from --list',
    )
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

/** Throws InputError when the arguments result in no run. */
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
  for (const [name, file] of library()) {
    const { title, see, why, fix } = await loadScenario(file);
    print(asJson ? JSON.stringify({ name, title, see, why, fix, file }) : `${name.padEnd(32)} ${title}`);
  }
}
