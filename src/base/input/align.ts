export interface Aligned<T> {
  readonly item: T;
  /** By run; undefined if a run does not have it. */
  readonly found: readonly (T | undefined)[];
}

/** Comparisons of items that are kept at a time, a bit each; longer lists are aligned in pieces. */
const MOST_CELLS = 2 ** 29;

/** Aligns several lists: equal items in the same order are merged, others keep their position. */
export function align<T>(
  lists: readonly (readonly T[])[],
  keyOf: (item: T) => string,
  mostCells = MOST_CELLS,
): Aligned<T>[] {
  const numbers = new Map<string, number>();
  const numberOf = (item: T): number => {
    const key = keyOf(item);
    const number = numbers.get(key) ?? numbers.size;
    numbers.set(key, number);
    return number;
  };
  let aligned: Aligned<T>[] = [];
  for (const [index, list] of lists.entries()) {
    const nothing: readonly undefined[] = Array.from({ length: index });
    const left = Uint32Array.from(aligned, ({ item }) => numberOf(item));
    const right = Uint32Array.from(list, numberOf);
    aligned = [...pairs(left, right, mostCells)].map(([one, other]): Aligned<T> => {
      const item = other === undefined ? undefined : (list[other] as T);
      const before = one === undefined ? undefined : (aligned[one] as Aligned<T>);
      return before === undefined
        ? { item: item as T, found: [...nothing, item] }
        : { item: before.item, found: [...before.found, item] };
    });
  }
  return aligned;
}

type Pair = readonly [left: number | undefined, right: number | undefined];

/** The places of two lists in one order; equal items form a pair. */
function* pairs(left: Uint32Array, right: Uint32Array, mostCells: number, l = 0, r = 0): Generator<Pair> {
  const size = Math.floor(Math.sqrt(mostCells));
  if (left.length * right.length > mostCells && Math.max(left.length, right.length) > 1) {
    const [i, j] = [Math.min(size, Math.ceil(left.length / 2)), Math.min(size, Math.ceil(right.length / 2))];
    yield* pairs(left.subarray(0, i), right.subarray(0, j), mostCells, l, r);
    yield* pairs(left.subarray(i), right.subarray(j), mostCells, l + i, r + j);
    return;
  }
  const skipsLeft = skips(left, right);
  for (let i = 0, j = 0; i < left.length || j < right.length; )
    if (i < left.length && j < right.length && left[i] === right[j]) yield [l + i++, r + j++];
    else if (j === right.length || (i < left.length && skipsLeft(i, j))) yield [l + i++, undefined];
    else yield [undefined, r + j++];
}

/** Whether skipping the left item at two places leaves as much in common in the rest. */
function skips(left: Uint32Array, right: Uint32Array): (i: number, j: number) => boolean {
  const width = right.length;
  const bits = new Uint8Array(Math.ceil((left.length * width) / 8));
  let below = new Uint32Array(width + 1);
  let row = new Uint32Array(width + 1);
  for (let i = left.length - 1; i >= 0; i--) {
    for (let j = width - 1; j >= 0; j--) {
      const [down, next] = [below[j] as number, row[j + 1] as number];
      const cell = i * width + j;
      if (down >= next) bits[cell >> 3] = (bits[cell >> 3] as number) | (1 << (cell & 7));
      row[j] = left[i] === right[j] ? (below[j + 1] as number) + 1 : Math.max(down, next);
    }
    [below, row] = [row, below];
  }
  return (i, j) => (((bits[(i * width + j) >> 3] as number) >> ((i * width + j) & 7)) & 1) === 1;
}
