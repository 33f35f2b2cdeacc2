import { CommanderError } from 'commander';
import { config as configureZod } from 'zod';
import { stackOf } from '../base/input/error-text.js';
import { InputError } from '../base/input/yaml.js';
import { guardTerminal } from '../base/markup/terminal.js';
import { CriError } from '../cri/errors.js';
import { isExpected } from './expected-error.js';
import { createProgram } from './program.js';
import { endWithReader, Interrupted } from './signals.js';
import { usageText } from './usage.js';

/** Exit code for an invalid command line; 1 is any other failure. */
const USAGE = 2;

/** Resolves with the exit code: 0 success, 1 failure, 2 invalid. */
export async function execute(args: readonly string[]): Promise<number> {
  try {
    const program = await createProgram(args[0]);
    await program.parseAsync(args, { from: 'user' });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return 0;
      const text = usageText(error);
      if (text !== undefined) process.stderr.write(`mockri: ${text}\n`);
      return USAGE;
    }
    if (error instanceof Interrupted) return error.code;
    process.stderr.write(`mockri: ${isExpected(error) ? error.message : stackOf(error)}\n`);
    return error instanceof InputError || (error instanceof CriError && error.kind === 'invalid') ? USAGE : 1;
  }
}

function watchOutputs(): void {
  process.stdout.once('error', (error: NodeJS.ErrnoException) => {
    process.stdout.on('error', () => {});
    if (error.code === 'EPIPE') return endWithReader();
    process.stderr.write(`mockri: cannot write to stdout (${error.code})\n`);
    process.exit(1);
  });
  // A closed stderr does not end the process.
  process.stderr.on('error', () => {});
}

export async function run(args: readonly string[]): Promise<void> {
  // Everything that commands print passes through here, so no printer has to escape anything.
  guardTerminal(process.stdout);
  guardTerminal(process.stderr);
  watchOutputs();
  // Schemas are used only a few times: compiling them costs more than it saves.
  configureZod({ jitless: true });
  process.once('beforeExit', reportStandstill);
  process.exitCode = await execute(args);
  process.off('beforeExit', reportStandstill);
}

/** Node exits with 0 when nothing more can happen, even in the middle of a command. */
function reportStandstill(): void {
  process.stderr.write(
    'mockri: the command waits for something that can no longer happen: this is a bug in Mockri, please report it\n',
  );
  process.exitCode = 1;
}
