import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { bundledIn, bundledNamed } from '../../../base/input/bundled.js';
import { globMatches } from '../../../base/input/glob.js';
import { STANDARD_INPUT } from '../../../base/input/open-input.js';
import { InputError } from '../../../base/input/yaml.js';

const isInput = (file: string): boolean => /\.(ya?ml|json)$/.test(file);

/** Bundled scenarios: their files by name. */
export const library = () => bundledIn('scenarios', '.yaml');

/** Sorted by name. */
export const libraryFiles = (): string[] => [...library().values()];

/**
 * Resolves arguments to files: a file, a directory, a glob in the last path element, `-` for standard input, or the
 * name of a bundled scenario. Throws InputError for anything else.
 */
export function scenarioFiles(given: readonly string[]): string[] {
  return [...new Set(given.flatMap(filesOf))];
}

function filesOf(given: string): string[] {
  if (given === STANDARD_INPUT) return [given];
  if (given === '') throw new InputError(['expected a manifest or a scenario; given ""']);
  if (existsSync(given)) {
    if (!statSync(given).isDirectory()) return [given];
    const files = inDirectory(given, isInput);
    if (files.length > 0) return files;
    throw new InputError([`${given}: no scenario in this directory (*.yaml, *.json)`]);
  }
  if (/[*?]/.test(basename(given))) {
    const glob = basename(given);
    const files = inDirectory(dirname(given), (file) => isInput(file) && globMatches(glob, file));
    if (files.length > 0) return files;
    throw new InputError([`${given}: no scenario file matches this glob`]);
  }
  return [bundledNamed(given, library(), { kind: 'scenario', or: 'file', command: 'simulate' })];
}

function inDirectory(directory: string, accepts: (file: string) => boolean): string[] {
  if (!existsSync(directory)) return [];
  const files = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isFile());
  return files
    .map(({ name }) => name)
    .filter(accepts)
    .sort()
    .map((file) => join(directory, file));
}
