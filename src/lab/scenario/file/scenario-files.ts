import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { globMatches } from '../../../base/input/glob.js';
import { STANDARD_INPUT } from '../../../base/input/open-input.js';
import { packagePath } from '../../../base/input/package-path.js';
import { didYouMean } from '../../../base/input/suggest.js';
import { InputError } from '../../../base/input/yaml.js';

const isScenario = (file: string): boolean => /\.ya?ml$/.test(file);
const isInput = (file: string): boolean => /\.(ya?ml|json)$/.test(file);

/** Sorted by name. */
export function libraryFiles(): string[] {
  const directory = packagePath('scenarios');
  return readdirSync(directory)
    .filter(isScenario)
    .sort()
    .map((file) => join(directory, file));
}

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
  const library = libraryFiles();
  const names = library.map((file) => basename(file).replace(/\.ya?ml$/, ''));
  const index = names.indexOf(given);
  const found = library[index];
  if (found !== undefined) return [found];
  const hint = didYouMean(given, names) || '; "mockri simulate --list" lists the bundled scenarios';
  throw new InputError([`${given}: no file or scenario has this name${hint}`]);
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
