import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { SavedExploration } from '../../explore/explore.js';
import { InputError } from '../../input/yaml.js';

/** Equal for equal options: a search continues only with those that it was begun with. */
export const optionsKey = (options: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(options)).digest('hex');

/** What an exploration has left; undefined without one. Throws InputError if it was begun with other options. */
export function readState(file: string, key: string): SavedExploration | undefined {
  if (!existsSync(file)) return undefined;
  const state = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly key: string;
    readonly saved: SavedExploration;
  };
  if (state.key === key) return state.saved;
  throw new InputError([
    `--resume: ${file} is the state of another scenario or of other options; give another --out, or leave out --resume`,
  ]);
}
