import { FileError } from '../../fs/file-error.js';
import type { ExitStatus, Process, Program } from '../../process/process.js';
import type { Programs } from '../programs.js';
import { calledAs } from './io.js';

/** Why a command line can't be run, and its exit code: 127 for a missing program, 126 for no permission. */
export class CannotRun extends Error {
  override readonly name = 'CannotRun';
  readonly code: number;

  constructor(reason: string, code: number) {
    super(reason);
    this.code = code;
  }
}

/** Rejects with CannotRun. */
export async function lookUp(
  programs: Programs,
  { fs, cwd, env: own }: Process,
  name: string,
  env = own,
): Promise<Program> {
  const program = await programs.find(name, { fs, cwd, env }).catch((error: unknown) => {
    throw error instanceof FileError ? new CannotRun(error.message, 126) : error;
  });
  if (program === undefined) throw new CannotRun('No such file or directory', 127);
  return program;
}

/** Finds the program of a command line that another command runs, otherwise a program that reports the error. */
export async function programOf(
  programs: Programs,
  process: Process,
  argv: readonly string[],
  env = process.env,
): Promise<Program> {
  const [name = ''] = argv;
  // A process that becomes the other command has its name by then.
  const caller = calledAs(process);
  try {
    return await lookUp(programs, process, name, env);
  } catch (error) {
    if (!(error instanceof CannotRun)) throw error;
    const { message, code } = error;
    return async ({ stderr }) => {
      await stderr.write(Buffer.from(`${caller}: can't execute '${name}': ${message}\n`));
      return { code };
    };
  }
}

export async function become(
  programs: Programs,
  process: Process,
  argv: readonly string[],
  env = process.env,
): Promise<ExitStatus> {
  const program = await programOf(programs, process, argv, env);
  return process.exec({ argv, program, env });
}
