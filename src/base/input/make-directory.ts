import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a directory and missing parents; returns the first created one, undefined if all existed. `mkdir` with
 * `recursive` never returns in Node 20 if the parent exists but the directory can't be created (/proc); this rejects
 * with the system's error.
 */
export async function makeDirectory(path: string, mode?: number): Promise<string | undefined> {
  try {
    return await makeOne(path, mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error;
    const made = await makeDirectory(dirname(path), mode);
    // The parent exists, so one more attempt is enough; somebody else may have created it.
    const own = await makeOne(path, mode);
    return made ?? own;
  }
}

/** Undefined if it exists already. */
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
