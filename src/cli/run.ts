import { CommanderError } from 'commander';
import { config as configureZod } from 'zod';
import { CriError } from '../cri/errors.js';
import { InputError } from '../input/yaml.js';
import { isExpected } from './expected-error.js';
import { createProgram } from './program.js';
import { usageText } from './usage.js';

/** A command that could not be understood; 1 is any other failure. */
const USAGE = 2;

/** Runs the command line; resolves with the exit code: 0 done, 1 failed, 2 not understood. */
async function execute(args: readonly string[]): Promise<number> {
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
    process.stderr.write(`mockri: ${isExpected(error) ? error.message : describe(error)}\n`);
    return error instanceof InputError || (error instanceof CriError && error.kind === 'invalid') ? USAGE : 1;
  }
}

const describe = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);

/**
 * Whoever reads our output has left (`| head`): the command ends as after Ctrl-C, so that it cleans up. One that has
 * printed all it had to say, as serve does with its ready line, doesn't notice.
 */
function endWithReader(): void {
  process.stdout.once('error', (error: NodeJS.ErrnoException) => {
    process.stdout.on('error', () => {});
    if (error.code === 'EPIPE') {
      process.kill(process.pid, 'SIGINT');
    } else {
      process.stderr.write(`mockri: can't write to stdout (${error.code})\n`);
      process.exit(1);
    }
  });
  // A log that nobody reads is no reason to end.
  process.stderr.on('error', () => {});
}

/** Runs the command line and sets the exit code of the process. */
export async function run(args: readonly string[]): Promise<void> {
  endWithReader();
  // Schemas are used once or a few times here: compiling each to a function costs more than it saves.
  configureZod({ jitless: true });
  process.exitCode = await execute(args);
}
