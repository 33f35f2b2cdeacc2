import type { Clock } from '../../base/clock/clock.js';
import type { CallFilter, CallLog, CallRecord } from './call-log.js';

export interface NextCallOptions {
  readonly clock: Clock;
  /** In ms. */
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
}

/** Returns the calls that pass a filter, or waits for the first. Empty after the timeout, or if the signal aborts. */
export function nextCalls(
  log: Pick<CallLog, 'list' | 'onCall'>,
  filter: CallFilter,
  { clock, limit, signal }: NextCallOptions,
): Promise<CallRecord[]> {
  const found = log.list(filter);
  if (found.length > 0 || limit === 0) return Promise.resolve(found);
  return new Promise((resolve) => {
    const end = (calls: CallRecord[]) => {
      forget();
      timer.cancel();
      signal?.removeEventListener('abort', give);
      resolve(calls);
    };
    const give = () => end([]);
    const timer = clock.setTimer(limit, give);
    const forget = log.onCall(({ sequence }) => {
      const calls = log.list({ ...filter, since: Math.max(filter.since ?? 0, sequence - 1) });
      if (calls.length > 0) end(calls);
    });
    signal?.addEventListener('abort', give, { once: true });
    if (signal?.aborted) give();
  });
}
