export const MOST_KEPT = 10_000;

interface Kept<K> {
  readonly size: number;
  keys(): Iterator<K>;
  delete(key: K): boolean;
}

/** Removes the oldest key of a map or set with more than `most` keys. */
export function forgetOldest<K>(kept: Kept<K>, most = MOST_KEPT): void {
  if (kept.size <= most) return;
  const { done, value } = kept.keys().next();
  if (!done) kept.delete(value);
}
