import type { Entry } from '../../../tape/entries.js';

/** Last part of a run, in which calls are counted, in ms: longer than each period of the kubelet's calls. */
export const WINDOW = 10_000;

/**
 * Allowed difference of a count, absolute and relative: a sync or garbage collection may fall into only one window, and
 * a relist takes as long as the runtime does.
 */
const DIFFERENCE = { calls: 3, part: 0.3 };

const PERIODIC = /^(List|Stream|Version$|Status$)/;

export type Pace = ReadonlyMap<string, number>;

export interface PaceReader {
  read(entry: Entry): void;
  /** Calls in the last window before `now`, in ms of the tape. */
  at(now: number): Pace;
}

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

export function isSamePace(a: Pace, b: Pace): boolean {
  const methods = new Set([...a.keys(), ...b.keys()]);
  return [...methods].every((method) => {
    const [one, other] = [a.get(method) ?? 0, b.get(method) ?? 0];
    const most = Math.max(DIFFERENCE.calls, DIFFERENCE.part * other);
    return Math.abs(one - other) <= most && (method !== 'Status' || one > 0 === other > 0);
  });
}
