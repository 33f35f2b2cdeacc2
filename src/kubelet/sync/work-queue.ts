import type { Clock } from '../../clock/clock.js';
import { millisToNanos } from '../../clock/clock.js';

/** Pods to be synced at some time (util/queue/work_queue.go). */
export interface WorkQueue {
  /** Asks for the pod in `delay` ms; replaces an earlier request. */
  enqueue(uid: string, delay: number): void;
  /** Asks for the pod at a time (Unix nanoseconds) besides. */
  remind(uid: string, at: bigint): void;
  /** Takes out the pods whose time is strictly past. */
  take(): string[];
  /** The earliest time asked for, Unix nanoseconds. */
  next(): bigint | undefined;
}

/** `changed` is called after every request. */
export function createWorkQueue(clock: Clock, changed: () => void): WorkQueue {
  const due = new Map<string, bigint>();
  const reminders = new Map<string, bigint>();
  return {
    enqueue: (uid, delay) => {
      due.set(uid, clock.now() + millisToNanos(delay));
      changed();
    },
    remind: (uid, at) => {
      if (reminders.get(uid) === at) return;
      reminders.set(uid, at);
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
