import type { Clock } from '../../clock/clock.js';
import { millisToNanos } from '../../clock/clock.js';

/** Pods to be synced at some time (util/queue/work_queue.go). */
export interface WorkQueue {
  /** Asks for the pod in `delay` ms; replaces an earlier request. */
  enqueue(uid: string, delay: number): void;
  /** Takes out the pods whose time is strictly past. */
  take(): string[];
  /** The earliest time asked for, Unix nanoseconds. */
  next(): bigint | undefined;
}

/** `changed` is called after every request. */
export function createWorkQueue(clock: Clock, changed: () => void): WorkQueue {
  const due = new Map<string, bigint>();
  return {
    enqueue: (uid, delay) => {
      due.set(uid, clock.now() + millisToNanos(delay));
      changed();
    },
    take: () => {
      const now = clock.now();
      const uids = [...due].filter(([, at]) => at < now).map(([uid]) => uid);
      for (const uid of uids) due.delete(uid);
      return uids;
    },
    next: () => {
      let earliest: bigint | undefined;
      for (const at of due.values()) if (earliest === undefined || at < earliest) earliest = at;
      return earliest;
    },
  };
}
