export interface Aligned<T> {
  readonly item: T;
  /** By run; undefined if a run does not have it. */
  readonly found: readonly (T | undefined)[];
}

/** Aligns several lists: equal items in the same order are merged, others keep their position. */
export function align<T>(lists: readonly (readonly T[])[], keyOf: (item: T) => string): Aligned<T>[] {
  let aligned: Aligned<T>[] = [];
  for (const [index, list] of lists.entries()) aligned = withList(aligned, list, index, keyOf);
  return aligned;
}

function withList<T>(
  before: readonly Aligned<T>[],
  list: readonly T[],
  index: number,
  keyOf: (item: T) => string,
): Aligned<T>[] {
  const nothing: readonly undefined[] = Array.from({ length: index });
  const lengths = commonLengths(
    before.map(({ item }) => keyOf(item)),
    list.map(keyOf),
  );
  const made: Aligned<T>[] = [];
  for (let left = 0, right = 0; left < before.length || right < list.length; ) {
    const [one, other] = [before[left], list[right]];
    if (one !== undefined && other !== undefined && keyOf(one.item) === keyOf(other)) {
      made.push({ item: one.item, found: [...one.found, other] });
      left++;
      right++;
    } else if (
      other === undefined ||
      (one !== undefined && at(lengths, left + 1, right) >= at(lengths, left, right + 1))
    ) {
      made.push({ item: (one as Aligned<T>).item, found: [...(one as Aligned<T>).found, undefined] });
      left++;
    } else {
      made.push({ item: other, found: [...nothing, other] });
      right++;
    }
  }
  return made;
}

const at = (lengths: readonly (readonly number[])[], left: number, right: number): number =>
  lengths[left]?.[right] ?? 0;

/** Lengths of the longest common subsequences of all suffixes. */
function commonLengths(left: readonly string[], right: readonly string[]): number[][] {
  const lengths = Array.from({ length: left.length + 1 }, () => new Array<number>(right.length + 1).fill(0));
  for (let i = left.length - 1; i >= 0; i--)
    for (let j = right.length - 1; j >= 0; j--) {
      const equal = left[i] === right[j];
      (lengths[i] as number[])[j] = equal
        ? at(lengths, i + 1, j + 1) + 1
        : Math.max(at(lengths, i + 1, j), at(lengths, i, j + 1));
    }
  return lengths;
}
