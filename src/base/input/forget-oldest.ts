/** Keys of a map or set that a rule keeps in memory. */
export const MOST_KEPT = 10_000;

interface Kept<K> {
  readonly size: number;
  keys(): Iterator<K>;
  delete(key: K): boolean;
}

/** Forgets the oldest key of a map or set that has more than MOST_KEPT. */
export function forgetOldest<K>(kept: Kept<K>): void {
  if (kept.size <= MOST_KEPT) return;
  const { done, value } = kept.keys().next();
  if (!done) kept.delete(value);
}
