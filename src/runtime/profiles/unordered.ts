/** Values of a map of Go, which come in another order each time: each look begins with the next one. */
export function unordered<T>(items: readonly T[]): () => T[] {
  let looks = 0;
  return () => {
    const first = looks++ % items.length;
    return [...items.slice(first), ...items.slice(0, first)];
  };
}
