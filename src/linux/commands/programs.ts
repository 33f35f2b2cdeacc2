import { FileError } from '../fs/file-error.js';
import type { FileSystem } from '../fs/file-system.js';
import { programOf } from '../fs/image-tree.js';
import type { Program } from '../process/process.js';

/** Where a name is looked up: the caller's file system, working directory and PATH. */
export interface LookupContext {
  readonly fs: FileSystem;
  readonly cwd: string;
  readonly env: ReadonlyMap<string, string>;
}

export interface Programs {
  /**
   * The program that `name` runs; undefined when there is none (a shell says "not found", exit code 127). Rejects with
   * FileError EACCES for a file that may not be executed (126).
   */
  find(name: string, from: LookupContext): Promise<Program | undefined>;
}

export type CommandTable = Readonly<Record<string, Program>>;

/** The search path without PATH, as in execvp(3). */
const DEFAULT_PATH = '/bin:/usr/bin';

/** Maximum number of interpreters between a script and a program, as in the kernel. */
const MAX_INTERPRETERS = 4;

/** Finds programs in the container's files: a command of `table`, or a script with its interpreter or the shell. */
export function findPrograms(table: CommandTable): Programs {
  const load = async (path: string, from: LookupContext, depth: number): Promise<Program | undefined> => {
    const head = await headOf(from.fs, path);
    const command = programOf(head);
    if (command !== undefined) return Object.hasOwn(table, command) ? table[command] : undefined;
    if (depth > MAX_INTERPRETERS) throw new FileError('ELOOP');
    // The shell runs a text without an interpreter (execvp(3), ENOEXEC).
    const [interpreter, argument] = interpreterOf(head) ?? ['/bin/sh'];
    const program = await load(interpreter, from, depth + 1).catch(missing);
    if (program === undefined) return undefined;
    const fixed = argument === undefined ? [interpreter] : [interpreter, argument];
    return (process) => {
      const [, ...rest] = process.argv;
      return process.exec({ argv: [...fixed, path, ...rest], program });
    };
  };
  return {
    find: async (name, from) => {
      let denied: FileError | undefined;
      for (const path of searchPath(name, from.env.get('PATH') ?? DEFAULT_PATH)) {
        try {
          return await load(absolute(path, from.cwd), from, 0);
        } catch (error) {
          if (error instanceof FileError && error.code === 'EACCES') denied = error;
          else missing(error);
        }
      }
      if (denied) throw denied;
      return undefined;
    },
  };
}

/** The paths of a name, unchanged: relative ones start at the working directory. */
export function searchPath(name: string, path: string): string[] {
  if (name === '') return [];
  if (name.includes('/')) return [name];
  return path.split(':').map((dir) => `${dir || '.'}/${name}`);
}

/** Not normalized: the file system resolves `..` and links. */
export const absolute = (path: string, cwd: string): string =>
  path.startsWith('/') ? path : `${cwd}/${path}`;

/** Rejects with EACCES for a file that may not be executed, and as stat does for a missing one. */
export async function checkExecutable(fs: FileSystem, path: string): Promise<void> {
  const { kind } = await fs.stat(path);
  if (kind !== 'file') throw new FileError('EACCES');
  await fs.access(path, 'execute');
}

/** The beginning of an executable file, which shows its kind. Rejects with EACCES if it may not be executed. */
async function headOf(fs: FileSystem, path: string): Promise<Buffer> {
  await checkExecutable(fs, path);
  const file = await fs.open(path, 'r');
  try {
    return await file.read(256);
  } finally {
    await file.close();
  }
}

/** For `#!/bin/sh -e`, the interpreter and its one argument. */
function interpreterOf(head: Buffer): [string, string?] | undefined {
  const match = /^#![ \t]*([^ \t\n]+)(?:[ \t]+([^\n]*[^ \t\n]))?[ \t]*\n/.exec(head.toString());
  if (!match) return undefined;
  const [, interpreter = '', argument] = match;
  return argument === undefined ? [interpreter] : [interpreter, argument];
}

function missing(error: unknown): undefined {
  const isGone =
    error instanceof FileError && ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'].includes(error.code);
  if (!isGone) throw error;
  return undefined;
}
