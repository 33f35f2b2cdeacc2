import { didYouMean } from '../../../base/input/suggest.js';
import { InputError } from '../../../base/input/yaml.js';
import { compilePattern } from '../../../runtime/faults/language/pattern.js';
import { entriesOfNodes } from '../../../tape/of-nodes.js';
import type { NumberedEntry, TapeFile } from '../../../tape/read.js';

/** Names that are remembered for the message. */
const MOST_NAMES = 10_000;

/** A filter by name that knows whether it has chosen anything. */
export interface NameFilter {
  /** Whether the filter chooses what has this name, `keys` being other ways to say it. */
  chooses(name: string | undefined, ...keys: readonly string[]): boolean;
  /** Throws InputError, with the nearest name, when all was looked at and nothing chosen. */
  check(): void;
}

/** Makes the filter of an option, such as `--pod`; without a word it chooses everything. */
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

/** The nearest name, or the first few. */
function hint(word: string, names: ReadonlySet<string>): string {
  if (names.size === 0) return '; it names none';
  const few = [...names].slice(0, 5).join(', ');
  return didYouMean(word, names) || `; it names ${few}${names.size > 5 ? ', …' : ''}`;
}

/** The entries of the nodes that `--node` chooses, and gaps, which may have held some of theirs; all without it. */
export async function* entriesFor(tape: TapeFile, node: string | undefined): AsyncGenerator<NumberedEntry> {
  const filter = createNameFilter('--node', node, node === undefined ? () => true : compilePattern(node));
  yield* entriesOfNodes(tape, (name) => filter.chooses(name));
  filter.check();
}
