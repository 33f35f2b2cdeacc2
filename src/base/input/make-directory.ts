import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a directory and those above it, and answers the first one that was not there; undefined if all were. Unlike
 * `mkdir` with `recursive`, which in Node 20 never ends where the parent is there and it can't be made all the same
 * (/proc), it rejects with the system's error.
 */
export async function makeDirectory(path: string, mode?: number): Promise<string | undefined> {
  try {
    return await makeOne(path, mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error;
    const made = await makeDirectory(dirname(path), mode);
    // The parent is there, so this is tried once more only; somebody else may have made it meanwhile.
    const own = await makeOne(path, mode);
    return made ?? own;
  }
}

/** Makes one directory; undefined if it is there already. */
async function makeOne(path: string, mode: number | undefined): Promise<string | undefined> {
  try {
    await mkdir(path, { mode });
    return path;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' && (await stat(path)).isDirectory())
      return undefined;
    throw error;
  }
}
