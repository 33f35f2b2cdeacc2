import type { Program } from '../../process/process.js';
import { CommandError } from './control-flow.js';
import { errorText } from './files.js';
import { waitForJob } from './foreground.js';
import { givenFiles } from './open-file.js';
import { spawn } from './processes.js';
import { isInteractive, type Shell } from './shell.js';

export interface ExternalOptions {
  /** Nothing follows: the program takes over the shell's process (POSIX allows it; busybox and bash do it). */
  readonly last: boolean;
  readonly values: readonly (readonly [string, string])[];
}

/** Bytes of arguments and environment together, as on Linux (execve(2), ARG_MAX). */
const MAX_ARGUMENTS = 2 * 1024 * 1024;
/** A string has its end and a pointer to it. */
const STRING_COST = 9;

function sizeOf(argv: readonly string[], env: ReadonlyMap<string, string>): number {
  let size = 0;
  for (const arg of argv) size += arg.length + STRING_COST;
  for (const [name, value] of env) size += name.length + value.length + STRING_COST;
  return size;
}

/** Runs a program in a child process and waits for it; 127 and 126 if it can't be run. */
export async function runExternal(
  shell: Shell,
  argv: readonly string[],
  options: ExternalOptions,
): Promise<number> {
  const env = new Map([...shell.variables.exported(), ...options.values]);
  if (sizeOf(argv, env) > MAX_ARGUMENTS) throw new CommandError(`${argv[0]}: Argument list too long`, 126);
  const program = await findProgram(shell, argv[0] ?? '', env);
  if (options.last && !shell.traps.hasActions) return replaceShell(shell, argv, program, env);
  const group = isInteractive(shell) ? 'new' : undefined;
  return waitForJob(shell, [spawn(shell, { argv, program, env, files: shell.files.clone(), group })]);
}

/** Runs a program in the shell's own process (`exec`); it never returns to the shell. */
export async function replaceShell(
  shell: Shell,
  argv: readonly string[],
  program: Program,
  env: ReadonlyMap<string, string>,
): Promise<never> {
  // The shell closes its own when it is left.
  const files = shell.files.clone();
  givenFiles.set(shell.process, files);
  const release = () => files.closeAll();
  return shell.process.exec({ argv, program, env, cwd: shell.cwd, ...files.streams(), release });
}

/** Throws CommandError with busybox's words and the code 127 or 126. */
export async function findProgram(
  shell: Shell,
  name: string,
  env: ReadonlyMap<string, string> = shell.variables.exported(),
): Promise<Program> {
  const { fs } = shell.process;
  try {
    const program = name === '' ? undefined : await shell.programs.find(name, { fs, cwd: shell.cwd, env });
    if (program) return program;
  } catch (error) {
    throw new CommandError(`${name}: ${errorText(error)}`, 126);
  }
  throw new CommandError(`${name}: ${name === '' ? 'Permission denied' : 'not found'}`, 127);
}
