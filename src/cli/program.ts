import { Command } from 'commander';
import { config as configureZod } from 'zod';
import { packageVersion } from '../base/input/package-version.js';
import { PROTO_HELP, protoNotes } from './options/proto.js';
import { withOwnErrors } from './usage.js';

const EPILOG = `
Examples:
  $ mockri serve                                          a CRI endpoint at unix:///tmp/mockri.sock
  $ mockri simulate liveness-crash-loop                   half an hour of a crash loop in a second
  $ mockri conformance --endpoint unix:///tmp/mockri.sock
  $ mockri help serve                                     help for one command

Exit code: 0 success, 1 failure, 2 the command line or a file is invalid.
`;

const commands: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./commands/serve.js')).serveCommand(),
  fault: async () => (await import('./commands/fault.js')).faultCommand(),
  watch: async () => (await import('./commands/watch.js')).watchCommand(),
  node: async () => (await import('./commands/node.js')).nodeCommand(),
  kubelet: async () => (await import('./commands/kubelet.js')).kubeletCommand(),
  'kubelet-build': async () => (await import('./commands/kubelet-build.js')).kubeletBuildCommand(),
  simulate: async () => {
    const [{ simulateCommand }, { simulationParts }] = await Promise.all([
      import('./commands/simulate.js'),
      import('../lab/scenario/simulation/simulation-parts.js'),
    ]);
    return simulateCommand(simulationParts);
  },
  cluster: async () => (await import('./commands/cluster.js')).clusterCommand(),
  suite: async () => (await import('./commands/suite.js')).suiteCommand(),
  explore: async () => (await import('./commands/explore.js')).exploreCommand(),
  reproduce: async () => (await import('./commands/reproduce.js')).reproduceCommand(),
  conformance: async () => (await import('./commands/conformance.js')).conformanceCommand(),
  diff: async () => (await import('./commands/diff.js')).diffCommand(),
  tape: async () => {
    // Each line is checked, so compiling the schemas pays off here.
    configureZod({ jitless: false });
    return (await import('./commands/tape.js')).tapeCommand();
  },
  backoff: async () => (await import('./commands/backoff.js')).backoffCommand(),
  completion: async () => (await import('./commands/completion.js')).completionCommand(() => createProgram()),
};

const versionFlags = new Set<string | undefined>(['-V', '--version']);

const withProto = ['conformance', 'diff', 'explore', 'simulate', 'suite', 'tape', 'watch'];

/** Adds --proto, and prints what its file changes before the command acts. start.ts has read the file; `serve` logs it. */
function takeProto(command: Command): Command {
  if (!withProto.includes(command.name())) return command;
  for (const each of [command, ...command.commands]) each.option('--proto <path>', PROTO_HELP);
  return command.hook('preAction', async () => {
    for (const note of await protoNotes()) process.stderr.write(`${note}\n`);
  });
}

export async function createProgram(name?: string): Promise<Command> {
  const program = new Command('mockri')
    .description('A mock CRI container runtime with fault injection, and a thin kubelet.')
    .version(packageVersion(), '-V, --version')
    // Options belong to one command, not to its subcommands.
    .enablePositionalOptions()
    .addHelpText('after', EPILOG);
  const chosen = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;
  for (const load of chosen ? [chosen] : versionFlags.has(name) ? [] : Object.values(commands)) {
    program.addCommand(takeProto(await load()));
  }
  return withOwnErrors(program);
}
