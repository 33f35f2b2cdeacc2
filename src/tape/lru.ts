/** Values by key with a maximum total size; evicts the least recently used. */
export interface Lru<K, V> {
  get(key: K): V | undefined;
  /** Does not store a value larger than a quarter of the total. */
  add(key: K, value: V, size: number): void;
}

export function createLru<K, V>(capacity: number): Lru<K, V> {
  const entries = new Map<K, { readonly value: V; readonly size: number }>();
  let total = 0;
  /** This iterator is kept, because iterating over deleted entries at the front of a map is slow. */
  let oldest = entries.keys();
  const remove = (key: K) => {
    total -= entries.get(key)?.size ?? 0;
    entries.delete(key);
  };
  return {
    get: (key) => {
      const found = entries.get(key);
      if (found === undefined) return undefined;
      entries.delete(key);
      entries.set(key, found);
      return found.value;
    },
    add: (key, value, size) => {
      if (size > capacity / 4) return;
      remove(key);
      entries.set(key, { value, size });
      total += size;
      while (total > capacity) {
        const { value: next, done } = oldest.next();
        if (done) oldest = entries.keys();
        else remove(next);
      }
    },
  };
}
