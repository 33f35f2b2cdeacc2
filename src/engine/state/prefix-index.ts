/** Splitting at this size keeps both halves of an insertion small: finding the block and moving its tail. */
const BLOCK_SIZE = 512;

/** Result of a prefix lookup; for an ambiguous prefix, two of its ids. */
export type PrefixMatch =
  | { readonly kind: 'unique'; readonly id: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'ambiguous'; readonly examples: readonly [string, string] };

/**
 * A sorted set of ids that finds one by a unique prefix in O(log n) (truncindex in containerd and
 * CRI-O). Sorted blocks instead of a trie, because they cost eight bytes an id.
 */
export class PrefixIndex {
  readonly #blocks: string[][] = [[]];

  add(id: string): void {
    const blocks = this.#blocks;
    const at = this.#blockOf(id);
    const block = blocks[at] as string[];
    block.splice(lowerBound(block, id), 0, id);
    if (block.length > BLOCK_SIZE) blocks.splice(at + 1, 0, block.splice(BLOCK_SIZE / 2));
  }

  delete(id: string): void {
    const at = this.#blockOf(id);
    const block = this.#blocks[at] as string[];
    const index = lowerBound(block, id);
    if (block[index] !== id) return;
    block.splice(index, 1);
    if (block.length === 0 && this.#blocks.length > 1) this.#blocks.splice(at, 1);
  }

  find(prefix: string): PrefixMatch {
    let at = this.#blockOf(prefix);
    let index = lowerBound(this.#blocks[at] as string[], prefix);
    const next = () => {
      while (index >= (this.#blocks[at]?.length ?? 0)) {
        if (++at >= this.#blocks.length) return undefined;
        index = 0;
      }
      const id = this.#blocks[at]?.[index++];
      return id?.startsWith(prefix) ? id : undefined;
    };
    const first = next();
    if (first === undefined) return { kind: 'none' };
    const second = first === prefix ? undefined : next();
    return second === undefined
      ? { kind: 'unique', id: first }
      : { kind: 'ambiguous', examples: [first, second] };
  }

  /** The last block whose first id is not after `id`: the only one that may hold it, or where it belongs. */
  #blockOf(id: string): number {
    let low = 0;
    let high = this.#blocks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#blocks[middle]?.[0] as string) <= id) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** Index of the first id that is not before `id`. */
function lowerBound(ids: readonly string[], id: string): number {
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ids[middle] as string) < id) low = middle + 1;
    else high = middle;
  }
  return low;
}
