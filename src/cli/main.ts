#!/usr/bin/env node
import * as nodeModule from 'node:module';
import { Command, CommanderError } from 'commander';
import { config as configureZod } from 'zod';
import { CriError } from '../cri/errors.js';
import { InputError } from '../input/yaml.js';
import { packageVersion } from './version.js';

/** A command that could not be understood; 1 is any other failure. */
const USAGE = 2;

/** Each command's file is loaded only when it is the one that runs, or when help lists them all. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./serve.js')).serveCommand(),
  fault: async () => (await import('./fault.js')).faultCommand(),
  watch: async () => (await import('./watch.js')).watchCommand(),
  kubelet: async () => (await import('./kubelet.js')).kubeletCommand(),
  simulate: async () => {
    const [{ simulateCommand }, { createMemoryBackend }, { statusOf }] = await Promise.all([
      import('./simulate.js'),
      import('../../adapters/memory/memory-backend.js'),
      import('../server/status.js'),
    ]);
    return simulateCommand({
      backend: (clock) => createMemoryBackend({ clock }),
      codeOf: (error) => statusOf(error, 'strict', String).code,
    });
  },
  conformance: async () => (await import('./conformance.js')).conformanceCommand(),
  backoff: async () => (await import('./backoff.js')).backoffCommand(),
};

/** Runs the command line; resolves with the exit code: 0 done, 1 failed, 2 not understood. */
async function main(args: readonly string[]): Promise<number> {
  const program = new Command('mockri')
    .description('A mock CRI container runtime, a thin kubelet, and faults on purpose.')
    .version(packageVersion(), '-V, --version')
    .showSuggestionAfterError()
    .exitOverride();
  const chosen = commands[args[0] ?? ''];
  for (const load of chosen ? [chosen] : Object.values(commands)) program.addCommand(withExit(await load()));
  try {
    await program.parseAsync(args, { from: 'user' });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE;
    // A bare Error is one of ours with a text for people; its subclasses are mistakes in the program.
    const isExpected =
      error instanceof InputError || error instanceof CriError || (error as Error)?.constructor === Error;
    process.stderr.write(`mockri: ${isExpected ? (error as Error).message : describe(error)}\n`);
    return error instanceof InputError ? USAGE : 1;
  }
}

/** Errors are thrown instead of ending the process, in subcommands too. */
function withExit(command: Command): Command {
  for (const subcommand of command.commands) withExit(subcommand);
  return command.exitOverride().showSuggestionAfterError();
}

const describe = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);

// Schemas are used once or a few times here: compiling each to a function costs more than it saves.
configureZod({ jitless: true });
// Keeps compiled code between starts where Node can (22.8 and later).
(nodeModule as { enableCompileCache?: () => unknown }).enableCompileCache?.();
process.exitCode = await main(process.argv.slice(2));
