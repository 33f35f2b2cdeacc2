import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a directory and those above it, and answers the first one that was not there; undefined if all were. Unlike
 * `mkdir` with `recursive`, which in Node 20 never ends where the parent is there and it can't be made all the same
 * (/proc), it rejects with the system's error.
 */
export async function makeDirectory(path: string, mode?: number): Promise<string | undefined> {
  try {
    await mkdir(path, { mode });
    return path;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return undefined;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    const made = await makeDirectory(dirname(path), mode);
    // The parent is there, so this is tried once more only, for the case that it has been made just now.
    await mkdir(path, { mode });
    return made ?? path;
  }
}
