import { clockText } from '../output/clock-text.js';

/** Things that happened several times, for one sentence: the first, how many, and how often in words. */
export interface Repeated<T> {
  readonly first: T;
  readonly count: number;
  /** Empty for once, else such as ` 3 times until 42.0s`. */
  readonly times: string;
}

/** What has the same key, in order of the first. */
export function repeated<T extends { readonly t: number }>(
  items: readonly T[],
  keyOf: (item: T) => string,
): Repeated<T>[] {
  const groups = groupedBy(items, keyOf);
  return [...groups.values()].map((group) => {
    const [first, last] = [group[0] as T, group.at(-1) as T];
    const until = last.t === first.t ? '' : ` until ${clockText(last.t)}`;
    return { first, count: group.length, times: group.length === 1 ? '' : ` ${group.length} times${until}` };
  });
}

/** The items by key, each in their order. */
export function groupedBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** `web/app` of an event; only the pod where it is about the whole pod. */
export function subjectOf({ pod, field }: { readonly pod: string; readonly field: string }): string {
  const container = /\{(.+)\}$/.exec(field)?.[1];
  return container === undefined ? pod : `${pod}/${container}`;
}

/** A text without the dot at its end, so that a sentence can go on. */
export const trimDot = (text: string): string => text.trim().replace(/\.$/, '');
