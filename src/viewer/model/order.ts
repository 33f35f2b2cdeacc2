/** Something that has a time; lists of it are in order of time. */
interface Timed {
  readonly t: number;
}

/** The index of the first item that is not before a time. */
export function indexFrom(items: readonly Timed[], t: number): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((items[middle] as Timed).t < t) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The first item from a time to another that is meant. */
export function firstWithin<T extends Timed>(
  items: readonly T[],
  from: number,
  to: number,
  isMeant: (item: T) => boolean,
): T | undefined {
  for (let index = indexFrom(items, from); index < items.length; index++) {
    const item = items[index] as T;
    if (item.t > to) return undefined;
    if (isMeant(item)) return item;
  }
  return undefined;
}

/** The last item from a time to another that is meant. */
export function lastWithin<T extends Timed>(
  items: readonly T[],
  from: number,
  to: number,
  isMeant: (item: T) => boolean,
): T | undefined {
  for (let index = indexFrom(items, to + 1) - 1; index >= 0; index--) {
    const item = items[index] as T;
    if (item.t < from) return undefined;
    if (isMeant(item)) return item;
  }
  return undefined;
}
