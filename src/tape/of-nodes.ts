import { InputError } from '../base/input/yaml.js';
import type { NumberedEntry, TapeFile } from './read.js';

/** Entries of matching nodes, and gaps, which may have hidden some. */
export async function* entriesOfNodes(
  { entries }: Pick<TapeFile, 'entries'>,
  fits: (node: string | undefined) => boolean,
): AsyncGenerator<NumberedEntry> {
  for await (const each of entries) if (each.entry.kind === 'gap' || fits(nodeOf(each))) yield each;
}

/** Entries of a tape of one runtime. Throws InputError at the first entry of a second node. */
export async function* entriesOfOneNode({
  entries,
}: Pick<TapeFile, 'entries'>): AsyncGenerator<NumberedEntry> {
  let first: string | undefined;
  for await (const each of entries) {
    const node = nodeOf(each);
    first ??= node;
    if (node !== first && node !== undefined)
      throw new InputError([
        `the tape is of several nodes, such as ${first} and ${node}, and one runtime is needed; take out one: mockri tape export FILE --format tape --node ${first}`,
      ]);
    yield each;
  }
}

/** Undefined on a tape of one runtime. */
export const nodeOf = ({ entry }: NumberedEntry): string | undefined =>
  entry.kind === 'header' ? undefined : entry.node;
