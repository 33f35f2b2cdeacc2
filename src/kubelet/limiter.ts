import type { Clock } from '../base/clock/clock.js';

/** Runs tasks first in, first out, as soon as fewer than the limit are running. */
export type Limiter = <T>(task: () => Promise<T>) => Promise<T>;

/** `Infinity` means no limit. */
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
