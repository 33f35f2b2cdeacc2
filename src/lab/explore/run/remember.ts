import { createHash } from 'node:crypto';
import { forgetOldest } from '../../../base/input/forget-oldest.js';

export type Remember<T> = (key: string, make: () => Promise<T>) => Promise<T>;

/** Creates a value once per key. Keeps `most` keys and drops the oldest. */
export function remember<T>(most: number): Remember<T> {
  const known = new Map<string, Promise<T>>();
  return (key, make) => {
    const found = known.get(key) ?? make();
    known.set(key, found);
    forgetOldest(known, most);
    return found;
  };
}

/** Equal for values with equal JSON; a scenario's manifests are in a map. */
export const keyOf = (...values: readonly unknown[]): string =>
  createHash('sha256')
    .update(JSON.stringify(values, (_, value) => (value instanceof Map ? [...value] : value)))
    .digest('hex');
