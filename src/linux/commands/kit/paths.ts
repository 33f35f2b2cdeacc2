import { FileError } from '../../fs/file-error.js';
import type { FileStat } from '../../fs/file-stat.js';
import type { Tool } from './tool.js';

/** Without those at its end; a regular expression would take time in the square of their number. */
function withoutSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return path.slice(0, end);
}

/** The last component of a path, as basename(1) has it. */
export function baseOf(path: string): string {
  const bare = withoutSlashes(path);
  return bare === '' && path !== '' ? '/' : bare.slice(bare.lastIndexOf('/') + 1);
}

/** What comes before the last component, as dirname(1) has it. */
export function dirOf(path: string): string {
  const bare = withoutSlashes(path);
  if (bare === '') return path === '' ? '.' : '/';
  const slash = bare.lastIndexOf('/');
  return slash < 0 ? '.' : withoutSlashes(bare.slice(0, slash)) || '/';
}

/** A name in a directory, as busybox's concat_path_file writes it: no second slash. */
export const joined = (dir: string, name: string): string =>
  dir.endsWith('/') ? dir + name : `${dir}/${name}`;

/** What lies at a path, or undefined if nothing does; links are followed on demand. */
export async function statIfAny(
  { process: { fs } }: Tool,
  path: string,
  follow: boolean,
): Promise<FileStat | undefined> {
  try {
    return await (follow ? fs.stat(path) : fs.lstat(path));
  } catch (error) {
    if (error instanceof FileError && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return undefined;
    throw error;
  }
}

/** Links are followed; false for what can't be looked at too. */
export const isDirectory = async (tool: Tool, path: string): Promise<boolean> =>
  (await statIfAny(tool, path, true).catch(() => undefined))?.kind === 'directory';

/** A FileError's text, with more said before it. */
export const saying =
  (text: (problem: string) => string) =>
  (error: unknown): never => {
    if (!(error instanceof FileError)) throw error;
    throw new FileError(error.code, text(error.message));
  };
