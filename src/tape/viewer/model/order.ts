interface Timed {
  readonly t: number;
}

export function indexFrom(items: readonly Timed[], t: number): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((items[middle] as Timed).t < t) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function lastWithin<T extends Timed>(items: readonly T[], from: number, to: number): T | undefined {
  const item = items[indexFrom(items, to + 1) - 1];
  return item !== undefined && item.t >= from ? item : undefined;
}
