import type { Program } from '../../process/process.js';
import { CommandError, Replaced } from './control-flow.js';
import { errorText } from './files.js';
import { waitForJob } from './foreground.js';
import { spawn } from './processes.js';
import { isInteractive, type Shell } from './shell.js';

/** How a program is run. */
export interface ExternalOptions {
  /** Nothing follows: the program takes over the shell's process (POSIX lets it; busybox and bash do). */
  readonly last: boolean;
  /** Assignments in front of the command. */
  readonly values: readonly (readonly [string, string])[];
}

/** Runs a program in a child process and waits for it; 127 and 126 when there is none to run. */
export async function runExternal(
  shell: Shell,
  argv: readonly string[],
  options: ExternalOptions,
): Promise<number> {
  const env = new Map([...shell.variables.exported(), ...options.values]);
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
  const streams = shell.files.streams();
  throw new Replaced(await shell.process.exec({ argv, program, env, cwd: shell.cwd, ...streams }));
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
