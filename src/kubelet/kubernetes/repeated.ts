/** Indexes of the items whose key an earlier item has. */
export function repeatedBy<T>(items: readonly T[], keyOf: (item: T) => unknown): readonly number[] {
  const seen = new Set<unknown>();
  return [...items.keys()].filter((index) => {
    const key = keyOf(items[index] as T);
    const isRepeated = seen.has(key);
    seen.add(key);
    return isRepeated;
  });
}
