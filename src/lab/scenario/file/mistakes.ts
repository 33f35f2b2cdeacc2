import { didYouMean } from '../../../base/input/suggest.js';
import { enumerated } from '../../../base/input/wording.js';
import { InputError } from '../../../base/input/yaml.js';

/** Where a field is in its document. */
export type Path = readonly (string | number)[];

/** Notes a mistake at a field. */
export type Note = (path: Path, message: string) => void;

/** Notes at the path what an InputError says, without its place. False if there is one. */
export function attempt(path: Path, note: Note, work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const { details, problems } = error;
    const texts = details.length > 0 ? details.map(({ message }) => message) : problems;
    // Here a field gives what an option gives on a command line.
    for (const text of texts) note(path, text.replace(/^--[a-z-]+: /, ''));
    return false;
  }
}

/** A name that no container of the pod has. */
export const noContainer = (name: string, names: readonly string[]): string =>
  `the pod has no container ${JSON.stringify(name)}${didYouMean(name, names) || `; it has: ${enumerated(names)}`}`;
