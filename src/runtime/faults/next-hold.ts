import type { Clock } from '../../base/clock/clock.js';
import type { Held, Holds } from './holds.js';

interface Limits {
  readonly clock: Clock;
  /** In ms. */
  readonly limit: number;
  readonly signal: AbortSignal;
}

/** Returns the holds after `since`, or waits for the first. Empty after the timeout, or if the signal aborts. */
export function nextHolds(holds: Holds, since: number, { clock, limit, signal }: Limits): Promise<Held[]> {
  const found = holds.list(since);
  if (found.length > 0 || limit === 0) return Promise.resolve(found);
  return new Promise((resolve) => {
    const end = () => {
      forget();
      timer.cancel();
      signal.removeEventListener('abort', end);
      resolve(holds.list(since));
    };
    const timer = clock.setTimer(limit, end);
    const forget = holds.onHold(end);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
  });
}
