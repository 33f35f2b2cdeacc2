/** Number of elements that it sorts before it lets other tasks run. */
export const RUN = 256;

type Compare<T> = (one: T, other: T) => number;

/** The process that pays for the work; other tasks run between its steps. */
export interface Sorter {
  work?(bytes: number): Promise<void>;
}

/** The order of UTF-16 units, which for most names is that of their bytes. */
export const byUnits = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/**
 * A stable sort that never blocks other tasks, which run after each `run` elements, or after fewer if comparing is
 * slow.
 */
export async function sorted<T>(
  sorter: Sorter,
  given: readonly T[],
  compare: Compare<T>,
  run = RUN,
): Promise<T[]> {
  if (given.length <= run) return [...given].sort(compare);
  let from: T[] = [];
  for (let start = 0; start < given.length; start += run) {
    for (const one of given.slice(start, start + run).sort(compare)) from.push(one);
    await sorter.work?.(0);
  }
  for (let width = run; width < given.length; width *= 2) {
    const to: T[] = [];
    for (let start = 0; start < given.length; start += 2 * width)
      await merge(sorter, from, { start, width, run }, to, compare);
    from = to;
  }
  return from;
}

/** Merges two adjacent runs of `from`. */
async function merge<T>(
  sorter: Sorter,
  from: readonly T[],
  { start, width, run }: { readonly start: number; readonly width: number; readonly run: number },
  to: T[],
  compare: Compare<T>,
): Promise<void> {
  const middle = Math.min(start + width, from.length);
  const end = Math.min(start + 2 * width, from.length);
  for (let [left, right] = [start, middle]; left < middle || right < end; ) {
    const isLeft = right >= end || (left < middle && compare(from[left] as T, from[right] as T) <= 0);
    to.push(from[isLeft ? left++ : right++] as T);
    if (to.length % run === 0) await sorter.work?.(0);
  }
}
