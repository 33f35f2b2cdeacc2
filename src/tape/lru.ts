/** Values by key, up to a total size; the ones that were not used for longest give way. */
export interface Lru<K, V> {
  /** The value, which counts as used now. */
  get(key: K): V | undefined;
  /** Adds a value of a size; one of more than a quarter of the total is not kept. */
  add(key: K, value: V, size: number): void;
}

/** Makes a store for values with this total size. */
export function createLru<K, V>(capacity: number): Lru<K, V> {
  const entries = new Map<K, { readonly value: V; readonly size: number }>();
  let total = 0;
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
      for (const oldest of entries.keys()) {
        if (total <= capacity) return;
        remove(oldest);
      }
    },
  };
}
