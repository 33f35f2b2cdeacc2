import { existsSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { readJsonFile } from '../../base/input/text-file.js';
import { checkInput, InputError } from '../../base/input/yaml.js';

/** Written by `keepState`. */
const stateSchema = z.object({ key: z.string(), saved: z.looseObject({}) });

/** In bytes. A search keeps at most 5,000 waiting pairs, of about a kilobyte each, and hashes. */
const LARGEST = 512 * 1024 * 1024;

/**
 * Reads the state of an earlier search; undefined without one. Throws InputError if it has other options, or if the
 * file is damaged. `isSaved` distinguishes the state of this search from another kind's; with the same options, this
 * version wrote its parts.
 */
export function readState<T extends object>(
  file: string,
  key: string,
  isSaved: (saved: object) => saved is T,
): T | undefined {
  if (!existsSync(file)) return undefined;
  const state = checkInput(readJsonFile(file, LARGEST), stateSchema, file);
  if (state.key !== key)
    throw new InputError([
      `--resume: ${file} is the state of another scenario, of other options, or of another version of Mockri; give another --out or file, or omit --resume`,
    ]);
  if (!isSaved(state.saved))
    throw new InputError([`--resume: ${file} is damaged: parts of the state are missing; omit --resume`]);
  return state.saved;
}

/** Reports missing states: --resume starts a new search then, so a Job's pod can use one command at every start. */
export function noteFreshSearch(directory: string, names: readonly string[]): void {
  if (names.some((name) => existsSync(join(directory, name)))) return;
  process.stderr.write(
    `mockri: --resume: no search was begun in ${directory} (it has no ${names.join(', ')}): this one begins\n`,
  );
}

/** Writes what `readState` reads. */
export async function keepState(file: string, key: string, saved: object): Promise<void> {
  // If the process is killed, the previous state stays intact.
  await writeFile(`${file}.new`, JSON.stringify({ key, saved }));
  await rename(`${file}.new`, file);
}
