import type { Clock } from '../base/clock/clock.js';

/** Runs a task as soon as fewer tasks than the limit are running, first in, first out. */
export type Limiter = <T>(task: () => Promise<T>) => Promise<T>;

/** At most `limit` tasks at a time; `Infinity` means no limit. */
export function createLimiter(clock: Pick<Clock, 'idle'>, limit: number): Limiter {
  const waiting: (() => void)[] = [];
  let free = limit;
  return async (task) => {
    if (free > 0) free--;
    else await clock.idle(new Promise<void>((resolve) => waiting.push(resolve)));
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free++;
      else next();
    }
  };
}
