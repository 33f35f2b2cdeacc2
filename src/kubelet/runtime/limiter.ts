import type { Clock } from '../../clock/clock.js';

/** Lets a task wait until fewer than the limit are under way, in the order in which they came. */
export type Limiter = <T>(task: () => Promise<T>) => Promise<T>;

/** At most `limit` tasks at a time; `Infinity` for no limit. */
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
