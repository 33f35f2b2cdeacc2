import { didYouMean } from '../../../base/input/suggest.js';
import { enumerated } from '../../../base/input/wording.js';
import { InputError } from '../../../base/input/yaml.js';

export type Path = readonly (string | number)[];

export type Note = (path: Path, message: string) => void;

/** Runs the work and reports an InputError at the path, without its own place. Returns false on error. */
export function attempt(path: Path, note: Note, work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const { details, problems } = error;
    const texts = details.length > 0 ? details.map(({ message }) => message) : problems;
    // Messages name an option, but here it is a field.
    for (const text of texts) note(path, text.replace(/^--[a-z-]+: /, ''));
    return false;
  }
}

export const noContainer = (name: string, names: readonly string[]): string =>
  `the pod has no container ${JSON.stringify(name)}${didYouMean(name, names) || `; it has: ${enumerated(names)}`}`;
