/** Runs tasks first in, first out, as soon as fewer than the limit are running. */
export type Limiter = <T>(task: () => Promise<T>) => Promise<T>;

/** `Infinity` means no limit. `idle` gets each wait for a turn, such as that of a clock. */
export function createLimiter(
  limit: number,
  idle: (turn: Promise<void>) => Promise<void> = (turn) => turn,
): Limiter {
  const waiting: (() => void)[] = [];
  let free = limit;
  return async (task) => {
    if (free > 0) free--;
    else await idle(new Promise((resolve) => waiting.push(resolve)));
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free++;
      else next();
    }
  };
}
