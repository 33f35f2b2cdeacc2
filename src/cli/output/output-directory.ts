import { mkdtemp, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory } from '../../base/input/make-directory.js';
import { InputError } from '../../base/input/yaml.js';

const CAUSES: Readonly<Record<string, string>> = {
  EEXIST: 'is a file; expected a directory',
  ENOTDIR: 'contains a file; expected a directory',
  EACCES: 'cannot be written to: permission denied',
};

/** Creates an output directory and tests it with a file: a long run must not lose its results. Throws InputError. */
export async function makeOutputDirectory(path: string, option: string): Promise<void> {
  try {
    await makeDirectory(path);
    await rmdir(await mkdtemp(join(path, '.mockri-')));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    throw new InputError([`${option}: ${path} ${CAUSES[code] ?? `cannot be written to: ${code}`}`]);
  }
}
