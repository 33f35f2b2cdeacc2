import { setEntry } from '../../../cri/map-entry.js';
import type { Field } from '../gen/nri/v1alpha1/api.js';
import type { Owners } from './owners.js';
import { markedForRemoval, removalOf } from './removal.js';

export interface Claimant {
  readonly owners: Owners;
  readonly container: string;
  readonly plugin: string;
}

type Named<T> = (item: T) => string;

function split<T>(items: readonly T[], nameOf: Named<T>) {
  const removed = new Map<string, T>();
  const set: T[] = [];
  for (const item of items) {
    const name = markedForRemoval(nameOf(item));
    if (name === undefined) set.push(item);
    else removed.set(name, item);
  }
  return { removed, set, setNames: new Set(set.map(nameOf)) };
}

export interface ListChange<T, Seen> {
  readonly field: Field;
  readonly items: readonly T[];
  readonly nameOf: Named<T>;
  readonly collected: readonly T[];
  readonly seen: readonly Seen[];
  readonly seenName: Named<Seen>;
  readonly see: (item: T) => Seen;
  readonly passesRemovals: boolean;
}

/** Removals come first, so that one plugin can replace another one's items. */
export function mergeList<T, Seen>(
  { owners, container, plugin }: Claimant,
  change: ListChange<T, Seen>,
): { readonly collected: T[]; readonly seen: Seen[] } {
  const { field, nameOf, seenName } = change;
  const { removed, set, setNames } = split(change.items, nameOf);
  let collected = change.collected.filter((item) => {
    if (!removed.has(nameOf(item))) return true;
    owners.clearEntry(container, field, nameOf(item), plugin);
    return false;
  });
  for (const item of set) owners.claimEntry(container, field, nameOf(item), plugin);
  collected = collected.concat(set);
  if (change.passesRemovals)
    for (const [name, item] of removed) if (!setNames.has(name)) collected.push(item);
  const seen = change.seen.filter((item) => !removed.has(seenName(item)) && !setNames.has(seenName(item)));
  return { collected, seen: seen.concat(set.map(change.see)) };
}

type Entries<V> = { [key: string]: V };

/** Like `mergeList`, for a map, in place. Passes removals to the runtime as entries with a mark. */
export function mergeMap<V>(
  { owners, container, plugin }: Claimant,
  field: Field,
  given: Readonly<Entries<V>>,
  { collected, seen, none }: { readonly collected: Entries<V>; readonly seen: Entries<V>; readonly none: V },
): void {
  const removed = new Set(Object.keys(given).flatMap((key) => markedForRemoval(key) ?? []));
  for (const [key, value] of Object.entries(given)) {
    if (markedForRemoval(key) !== undefined) continue;
    if (removed.delete(key)) {
      owners.clearEntry(container, field, key, plugin);
      setEntry(collected, removalOf(key), none);
    }
    owners.claimEntry(container, field, key, plugin);
    setEntry(seen, key, value);
    setEntry(collected, key, value);
  }
  for (const key of removed) setEntry(collected, removalOf(key), none);
}
