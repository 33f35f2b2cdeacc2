import { FileError } from '../../fs/file-error.js';
import type { FileStat } from '../../fs/file-stat.js';
import type { Tool } from './tool.js';

/** Strips trailing slashes; a regular expression would take quadratic time. */
function withoutSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return path.slice(0, end);
}

/** Like basename(1). */
export function baseOf(path: string): string {
  const bare = withoutSlashes(path);
  return bare === '' && path !== '' ? '/' : bare.slice(bare.lastIndexOf('/') + 1);
}

/** Like dirname(1). */
export function dirOf(path: string): string {
  const bare = withoutSlashes(path);
  if (bare === '') return path === '' ? '.' : '/';
  const slash = bare.lastIndexOf('/');
  return slash < 0 ? '.' : withoutSlashes(bare.slice(0, slash)) || '/';
}

/** Joins paths like busybox's concat_path_file: without a double slash. */
export const joined = (dir: string, name: string): string =>
  dir.endsWith('/') ? dir + name : `${dir}/${name}`;

/** Undefined if nothing exists at the path; follows links on demand. */
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

/** Follows links; also false for an unreadable path. */
export const isDirectory = async (tool: Tool, path: string): Promise<boolean> =>
  (await statIfAny(tool, path, true).catch(() => undefined))?.kind === 'directory';

export const saying =
  (text: (problem: string) => string) =>
  (error: unknown): never => {
    if (!(error instanceof FileError)) throw error;
    throw new FileError(error.code, text(error.message));
  };
