import type { Abortable, Clock, Timer } from './clock.js';

export interface ClosableClock extends Clock {
  /** No timer fires after this: waits for one never end, but don't keep the process alive. */
  close(): void;
}

export function createClosableClock(clock: Clock): ClosableClock {
  const timers = new Set<Timer>();
  let isClosed = false;
  const setTimer = (delay: number, callback: () => void | Promise<void>): Timer => {
    if (isClosed) return { cancel: () => {} };
    const inner = clock.setTimer(delay, () => {
      timers.delete(timer);
      return callback();
    });
    const timer: Timer = {
      cancel: () => {
        timers.delete(timer);
        inner.cancel();
      },
    };
    timers.add(timer);
    return timer;
  };
  const sleep = (delay: number, signal?: Abortable): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const abort = () => {
        timer.cancel();
        reject(signal?.reason);
      };
      const timer = setTimer(delay, () => {
        signal?.removeEventListener('abort', abort);
        resolve();
      });
      signal?.addEventListener('abort', abort, { once: true });
    });
  return {
    ...clock,
    setTimer,
    sleep: (delay, signal) => clock.idle(sleep(delay, signal)),
    close: () => {
      isClosed = true;
      for (const timer of timers) timer.cancel();
    },
  };
}
