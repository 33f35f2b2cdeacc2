import { existsSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { readJsonFile } from '../../base/input/text-file.js';
import { checkInput, InputError } from '../../base/input/yaml.js';
import type { SavedExploration } from '../../lab/explore/explore.js';
import type { SavedRuns } from '../../lab/reproduce/reproduce.js';

/** What `keepState` writes. */
const stateSchema = z.object({ key: z.string(), saved: z.looseObject({}) });

/** In bytes. A search keeps at most 5,000 pairs that wait, of about a kilobyte each, and hashes. */
const LARGEST = 512 * 1024 * 1024;

/**
 * What a search has left; undefined without one. Throws InputError if it was begun with other options, or if the file is
 * damaged. `isSaved` tells the state of this search from that of another one; with the key of these options, its parts are as
 * this version wrote them.
 */
export function readState<T extends SavedExploration | SavedRuns>(
  file: string,
  key: string,
  isSaved: (saved: object) => saved is T,
): T | undefined {
  if (!existsSync(file)) return undefined;
  const state = checkInput(readJsonFile(file, LARGEST), stateSchema, file);
  if (state.key !== key)
    throw new InputError([
      `--resume: ${file} is the state of another scenario or of other options; give another --out, or leave out --resume`,
    ]);
  if (!isSaved(state.saved))
    throw new InputError([
      `--resume: ${file} is damaged: parts of the state are missing; leave out --resume`,
    ]);
  return state.saved;
}

/**
 * Says so if there is none of these states in the directory: --resume begins a search then, so that a pod of a Job can have the
 * same command whenever it is started.
 */
export function noteFreshSearch(directory: string, names: readonly string[]): void {
  if (names.some((name) => existsSync(join(directory, name)))) return;
  process.stderr.write(
    `mockri: --resume: no search was begun in ${directory} (it has no ${names.join(', ')}): this one begins\n`,
  );
}

/** Writes what `readState` reads. */
export async function keepState(
  file: string,
  key: string,
  saved: SavedExploration | SavedRuns,
): Promise<void> {
  // A process that is killed leaves the whole state of before.
  await writeFile(`${file}.new`, JSON.stringify({ key, saved }));
  await rename(`${file}.new`, file);
}
