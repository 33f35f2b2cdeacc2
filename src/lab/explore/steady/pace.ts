import type { Entry } from '../../../tape/entries.js';

/** The last part of a run, in which calls are counted, in ms: longer than the period of each of the kubelet's calls. */
export const WINDOW = 10_000;

/**
 * How much a count may differ, and the part of it that may: a sync or a collection of garbage may fall into one window and not
 * into the other, and a relist takes as long as the runtime does.
 */
const DIFFERENCE = { calls: 3, part: 0.3 };

/** Calls that the kubelet repeats all the time, whatever happens. */
const PERIODIC = /^(List|Stream|Version$|Status$)/;

/** Calls in the last window by method. */
export type Pace = ReadonlyMap<string, number>;

/** Counts the kubelet's periodic calls. */
export interface PaceReader {
  read(entry: Entry): void;
  /** The calls of the last window before `now`, in ms of the tape. */
  at(now: number): Pace;
}

/** Makes a counter of the calls that the kubelet repeats. */
export function createPaceReader(): PaceReader {
  const times = new Map<string, number[]>();
  const forget = (list: number[], before: number) => {
    while ((list[0] ?? before) < before) list.shift();
  };
  return {
    read: (entry) => {
      if (entry.kind !== 'call' || !PERIODIC.test(entry.method)) return;
      const at = entry.t / 1e6;
      const list = times.get(entry.method) ?? [];
      forget(list, at - WINDOW);
      list.push(at);
      times.set(entry.method, list);
    },
    at: (now) => {
      const counts = new Map<string, number>();
      for (const [method, list] of times) {
        forget(list, now - WINDOW);
        if (list.length > 0) counts.set(method, list.length);
      }
      return counts;
    },
  };
}

/** Whether the kubelet asks as often: what it does all the time in one run, it does in the other. */
export function isSamePace(a: Pace, b: Pace): boolean {
  const methods = new Set([...a.keys(), ...b.keys()]);
  return [...methods].every((method) => {
    const [one, other] = [a.get(method) ?? 0, b.get(method) ?? 0];
    const most = Math.max(DIFFERENCE.calls, DIFFERENCE.part * other);
    return Math.abs(one - other) <= most && (method !== 'Status' || one > 0 === other > 0);
  });
}
