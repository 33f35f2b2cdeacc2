import type { Clock } from '../../base/clock/clock.js';

/** Settles like an exchange over a connection, or with `undefined` after `timeout` ms (or Infinity) on the clock. */
export async function exchange<T>(
  clock: Clock,
  timeout: number,
  start: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const controller = new AbortController();
  let expire = () => {};
  const expired = new Promise<undefined>((resolve) => {
    expire = () => resolve(undefined);
  });
  const timer = Number.isFinite(timeout) ? clock.setTimer(timeout, expire) : undefined;
  const answer = start(controller.signal);
  try {
    return await clock.idle(Promise.race([answer, expired]));
  } finally {
    timer?.cancel();
    controller.abort();
    answer.catch(() => {});
  }
}
