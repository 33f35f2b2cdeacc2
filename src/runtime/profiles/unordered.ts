/** Values of a Go map, whose order differs each time: each iteration begins with the next value. */
export function unordered<T>(items: readonly T[]): () => T[] {
  let looks = 0;
  return () => {
    const first = looks++ % items.length;
    return [...items.slice(first), ...items.slice(0, first)];
  };
}
