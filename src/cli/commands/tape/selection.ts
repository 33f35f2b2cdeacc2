import { didYouMean } from '../../../base/input/suggest.js';
import { InputError } from '../../../base/input/yaml.js';
import { compilePattern } from '../../../runtime/faults/language/pattern.js';
import { entriesOfNodes } from '../../../tape/of-nodes.js';
import type { NumberedEntry, TapeFile } from '../../../tape/read.js';

const MOST_NAMES = 10_000;

export interface NameFilter {
  /** Whether the filter matches this name; `keys` are alternative forms. */
  chooses(name: string | undefined, ...keys: readonly string[]): boolean;
  /** Throws InputError, with the closest name, if nothing matched. */
  check(): void;
}

export function createNameFilter(
  option: string,
  word: string | undefined,
  fits: (key: string) => boolean,
): NameFilter {
  const names = new Set<string>();
  let hasChosen = false;
  return {
    chooses: (name, ...keys) => {
      if (word === undefined) return true;
      if (name === undefined) return false;
      const isChosen = [name, ...keys].some(fits);
      hasChosen ||= isChosen;
      if (!hasChosen && names.size < MOST_NAMES) names.add(name);
      return isChosen;
    },
    check: () => {
      if (word !== undefined && !hasChosen)
        throw new InputError([`${option} ${word}: nothing on the tape has this name${hint(word, names)}`]);
    },
  };
}

function hint(word: string, names: ReadonlySet<string>): string {
  if (names.size === 0) return '; it names none';
  const few = [...names].slice(0, 5).join(', ');
  return didYouMean(word, names) || `; it names ${few}${names.size > 5 ? ', …' : ''}`;
}

/** Entries of the nodes that match `--node`, and gaps, which may have hidden some; all without `--node`. */
export async function* entriesFor(tape: TapeFile, node: string | undefined): AsyncGenerator<NumberedEntry> {
  const filter = createNameFilter('--node', node, node === undefined ? () => true : compilePattern(node));
  yield* entriesOfNodes(tape, (name) => filter.chooses(name));
  filter.check();
}
