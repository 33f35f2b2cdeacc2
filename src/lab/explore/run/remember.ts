import { createHash } from 'node:crypto';

/** Gives what was made for a key before, or makes it. */
export type Remember<T> = (key: string, make: () => Promise<T>) => Promise<T>;

/** Makes something once for each key. Of more than `most` keys, the oldest is forgotten. */
export function remember<T>(most: number): Remember<T> {
  const known = new Map<string, Promise<T>>();
  return (key, make) => {
    const found = known.get(key) ?? make();
    known.set(key, found);
    if (known.size > most) known.delete(known.keys().next().value ?? '');
    return found;
  };
}

/** Equal for equal values, as JSON has them; the manifests of a scenario are in a map. */
export const keyOf = (...values: readonly unknown[]): string =>
  createHash('sha256')
    .update(JSON.stringify(values, (_, value) => (value instanceof Map ? [...value] : value)))
    .digest('hex');
