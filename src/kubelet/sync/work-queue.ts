import type { Clock } from '../../base/clock/clock.js';
import { millisToNanos } from '../../base/clock/clock.js';

export interface WorkQueue {
  /** `delay` is in ms; replaces an earlier schedule. */
  enqueue(uid: string, delay: number): void;
  /** At a time in Unix nanoseconds, in addition to `enqueue`; inclusive (active_deadline.go pastActiveDeadline). */
  remind(uid: string, at: bigint): void;
  /** Removes and returns the pods whose time has strictly passed. */
  take(): string[];
  /** The earliest scheduled time, which must have passed; Unix nanoseconds. */
  next(): bigint | undefined;
}

/** Calls `changed` after every new schedule. */
export function createWorkQueue(clock: Clock, changed: () => void): WorkQueue {
  const due = new Map<string, bigint>();
  const reminders = new Map<string, bigint>();
  return {
    enqueue: (uid, delay) => {
      due.set(uid, clock.now() + millisToNanos(delay));
      changed();
    },
    remind: (uid, at) => {
      const before = at - 1n;
      if (reminders.get(uid) === before) return;
      reminders.set(uid, before);
      changed();
    },
    take: () => {
      const now = clock.now();
      const taken = new Set<string>();
      for (const requests of [due, reminders]) {
        for (const [uid, at] of requests) {
          if (at >= now) continue;
          requests.delete(uid);
          taken.add(uid);
        }
      }
      return [...taken];
    },
    next: () => {
      let earliest: bigint | undefined;
      for (const requests of [due, reminders]) {
        for (const at of requests.values()) if (earliest === undefined || at < earliest) earliest = at;
      }
      return earliest;
    },
  };
}
