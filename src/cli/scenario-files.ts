import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { didYouMean } from '../input/suggest.js';
import { UserError } from '../input/user-error.js';
import { InputError } from '../input/yaml.js';

/** Directory of the bundled scenarios: as many levels up as from the sources, plus one for `dist`. */
function libraryDirectory(): string {
  const candidates = ['../../scenarios/', '../../../scenarios/'].map((up) =>
    fileURLToPath(new URL(up, import.meta.url)),
  );
  const found = candidates.find((directory) => existsSync(directory));
  if (found === undefined) throw new UserError('the directory "scenarios" is missing from this installation');
  return found;
}

const isScenario = (file: string): boolean => /\.ya?ml$/.test(file);

/** The bundled scenarios, sorted by name. */
export function libraryFiles(): string[] {
  const directory = libraryDirectory();
  return readdirSync(directory)
    .filter(isScenario)
    .sort()
    .map((file) => join(directory, file));
}

/**
 * Resolves arguments to scenario files: a file, a directory, a glob in the last path element, or the name of a
 * bundled scenario. Throws InputError for anything else.
 */
export function scenarioFiles(given: readonly string[]): string[] {
  return [...new Set(given.flatMap(filesOf))];
}

function filesOf(given: string): string[] {
  if (existsSync(given)) {
    if (!statSync(given).isDirectory()) return [given];
    const files = inDirectory(given, isScenario);
    if (files.length > 0) return files;
    throw new InputError([`${given}: this directory has no scenario (*.yaml)`]);
  }
  if (/[*?]/.test(basename(given))) {
    const pattern = globPattern(basename(given));
    const files = inDirectory(dirname(given), (file) => isScenario(file) && pattern.test(file));
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

const globPattern = (glob: string): RegExp =>
  new RegExp(
    `^${glob
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replace(/\*/g, '.*')
      .replace(/\?/g, '.')}$`,
  );
