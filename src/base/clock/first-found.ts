import type { Clock } from './clock.js';

export interface WaitLimits {
  readonly clock: Clock;
  /** In ms; 0 does not wait. */
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Resolves with `found` or, if it is empty, with the first results of `follow`. Empty after the limit, or if the signal
 * aborts.
 */
export function firstFound<T>(
  found: T[],
  follow: (end: (found: T[]) => void) => () => void,
  { clock, limit, signal }: WaitLimits,
): Promise<T[]> {
  if (found.length > 0 || limit === 0) return Promise.resolve(found);
  return new Promise((resolve) => {
    const end = (later: T[]) => {
      forget();
      timer.cancel();
      signal?.removeEventListener('abort', give);
      resolve(later);
    };
    const give = () => end([]);
    const timer = clock.setTimer(limit, give);
    const forget = follow((later) => later.length > 0 && end(later));
    signal?.addEventListener('abort', give, { once: true });
    if (signal?.aborted) give();
  });
}
