import { createRealClock } from '../base/clock/real-clock.js';
import { ContainerEventResponse, ContainerEventType } from '../cri/gen/runtime/v1/api.js';
import { decoded } from '../cri/reply.js';
import type { CriService } from '../cri/service.js';
import { codeName } from '../cri/status-code.js';
import type { CallFilter, CallLog, CallRecord } from '../runtime/server/call-log.js';
import { nextCalls } from '../runtime/server/next-call.js';
import { milliseconds } from './milliseconds.js';

/** Matches container events; missing fields match everything. */
export interface EventQuery {
  readonly type?: 'CREATED' | 'STARTED' | 'STOPPED' | 'DELETED';
  /** Id of a container or sandbox, or a prefix of it. */
  readonly container?: string;
}

/** The clock of other processes: a virtual clock stands still while a test waits for them. */
const clock = createRealClock();
const LIMIT = '10s';

/** The first call that matches. Rejects if there is none in time. */
export async function waitForCall(
  log: CallLog,
  filter: CallFilter,
  query: object = {},
  limit: string | number = LIMIT,
): Promise<CallRecord> {
  const [call] = await nextCalls(log, filter, { clock, limit: milliseconds(limit) });
  if (call !== undefined) return call;
  throw new Error(`no call that fits ${JSON.stringify(query)} within ${limit}; ${lastCalls(log)}`);
}

const MOST_LISTED = 10;

/** Recent calls, for an error. */
function lastCalls(log: CallLog): string {
  const calls = log.list({ limit: MOST_LISTED });
  if (calls.length === 0) return 'no call has ended yet';
  const lines = calls.map(({ sequence, method, code, subject }) => {
    const { pod, container } = subject ?? {};
    const names = [pod && `${pod.namespace}/${pod.name}`, container?.name].filter(Boolean);
    return `\n  ${[sequence, method, codeName(code), ...names].join(' ')}`;
  });
  return `the last calls:${lines.join('')}`;
}

/** The next event that matches. Rejects if there is none in time, or if the runtime has no events. */
export async function waitForEvent(
  service: CriService,
  query: EventQuery = {},
  limit: string | number = LIMIT,
): Promise<ContainerEventResponse> {
  const over = new AbortController();
  const timer = clock.setTimer(milliseconds(limit), () => over.abort());
  try {
    for await (const message of service.getContainerEvents(
      {},
      { signal: over.signal, deadline: undefined },
    )) {
      const event = decoded(message, ContainerEventResponse);
      if (fits(event, query)) return event;
    }
  } catch (error) {
    if (!over.signal.aborted) throw error;
  } finally {
    timer.cancel();
    over.abort();
  }
  throw new Error(`no event that fits ${JSON.stringify(query)} within ${limit}`);
}

const fits = (
  { containerId, containerEventType }: ContainerEventResponse,
  { type, container }: EventQuery,
): boolean =>
  (type === undefined || ContainerEventType[containerEventType] === `CONTAINER_${type}_EVENT`) &&
  (container === undefined || containerId.startsWith(container));
