import type { ByteSink, ExitStatus, Process, Program } from '../process/process.js';
import { calledAs } from './io.js';
import type { Programs } from './programs.js';

/** The program of a command line that another command runs; one that says why, with 127, when there is none. */
export async function programOf(
  programs: Programs,
  process: Process,
  argv: readonly string[],
  env = process.env,
): Promise<Program> {
  const [name = ''] = argv;
  const caller = calledAs(process);
  const found = await programs.find(name, { fs: process.fs, cwd: process.cwd, env });
  return found ?? (({ stderr }) => missing(stderr, caller, name));
}

async function missing(stderr: ByteSink, caller: string, name: string): Promise<ExitStatus> {
  await stderr.write(Buffer.from(`${caller}: can't execute '${name}': No such file or directory\n`));
  return { code: 127 };
}

/** Goes on as another program, as exec does. */
export async function become(
  programs: Programs,
  process: Process,
  argv: readonly string[],
  env = process.env,
): Promise<ExitStatus> {
  const program = await programOf(programs, process, argv, env);
  return process.exec({ argv, program, env });
}
