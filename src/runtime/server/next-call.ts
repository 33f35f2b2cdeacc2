import { firstFound, type WaitLimits } from '../../base/clock/first-found.js';
import type { CallFilter, CallLog, CallRecord } from './call-log.js';

/** Returns the calls that pass a filter, or waits for the first. Empty after the timeout, or if the signal aborts. */
export const nextCalls = (
  log: Pick<CallLog, 'list' | 'onCall'>,
  filter: CallFilter,
  limits: WaitLimits,
): Promise<CallRecord[]> =>
  firstFound(
    log.list(filter),
    (end) =>
      log.onCall(({ sequence }) =>
        end(log.list({ ...filter, since: Math.max(filter.since ?? 0, sequence - 1) })),
      ),
    limits,
  );
