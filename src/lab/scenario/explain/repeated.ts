import { groupBy } from '../../../base/input/group-by.js';
import { clockText } from '../output/clock-text.js';

export interface Repeated<T> {
  readonly first: T;
  readonly count: number;
  /** Empty for one, otherwise for example ` 3 times until 42.0s`. */
  readonly times: string;
}

export function repeated<T extends { readonly t: number }>(
  items: readonly T[],
  keyOf: (item: T) => string,
): Repeated<T>[] {
  return [...groupBy(items, keyOf).values()].map((group) => {
    const [first, last] = [group[0] as T, group.at(-1) as T];
    const until = last.t === first.t ? '' : ` until ${clockText(last.t)}`;
    return { first, count: group.length, times: group.length === 1 ? '' : ` ${group.length} times${until}` };
  });
}

/** `web/app`, or the pod alone if the event is about the whole pod. */
export function subjectOf({ pod, field }: { readonly pod: string; readonly field: string }): string {
  const container = /\{(.+)\}$/.exec(field)?.[1];
  return container === undefined ? pod : `${pod}/${container}`;
}

/** Removes the final dot, so that a sentence can continue. */
export const trimDot = (text: string): string => text.trim().replace(/\.$/, '');
