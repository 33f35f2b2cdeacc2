import { ContainerEventResponse } from '../cri/gen/runtime/v1/api.js';
import { decoded } from '../cri/reply.js';
import type { CriService } from '../cri/service.js';
import { actionName, type Faults, type TimedFault } from '../faults/faults.js';
import type { CallLog } from '../server/call-log.js';
import type { Route, ServerSentEvent } from './router.js';
import { describeCall } from './runtime-routes.js';

/** What may wait for one reader; beyond it the oldest is lost, and `lost` says how many were. */
const QUEUE = 1000;

/** An event, as clients get it. */
export interface EventSources {
  readonly log: CallLog;
  /** Asked for container events; undefined for none. Without fault rules, whose counts a spectator must not move. */
  readonly service?: CriService | undefined;
  readonly faults?: Pick<Faults, 'onFault'> | undefined;
}

/**
 * `GET /v1/events`: finished calls as `call`, container events as `event`, applied fault rules as `fault`, live, as
 * server-sent events. The id of each is the number of the last finished call: a client that comes again with
 * Last-Event-ID first gets the calls that it has missed, as far as they are remembered.
 */
export function eventRoutes(sources: EventSources): Route[] {
  return [
    {
      method: 'GET',
      path: '/v1/events',
      handle: ({ signal, lastEventId }) => ({ events: follow(sources, signal, lastEventId) }),
    },
  ];
}

async function* follow(
  { log, service, faults }: EventSources,
  signal: AbortSignal,
  lastEventId: number | undefined,
): AsyncGenerator<ServerSentEvent> {
  const queue: ServerSentEvent[] = [];
  let wake: (() => void) | undefined;
  let lost = 0;
  const put = (event: ServerSentEvent) => {
    if (queue.push({ id: log.sequence, ...event }) > QUEUE) {
      queue.shift();
      lost++;
    }
    wake?.();
  };
  const forgetCalls = log.onCall((call) => put({ event: 'call', data: describeCall(call) }));
  const forgetFaults = faults?.onFault((fault) => put({ event: 'fault', data: describeFault(fault) }));
  signal.addEventListener('abort', () => wake?.(), { once: true });
  if (service) void relay(service, signal, put);
  try {
    if (lastEventId !== undefined) yield* missed(log, lastEventId);
    while (!signal.aborted) {
      if (lost > 0) {
        yield { event: 'lost', data: { count: lost } };
        lost = 0;
      }
      const next = queue.shift();
      if (next) yield next;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  } finally {
    forgetCalls();
    forgetFaults?.();
  }
}

/** The calls since a client went; `lost` says how many of them are forgotten. */
function* missed(log: CallLog, since: number): Generator<ServerSentEvent> {
  const calls = log.list({ since });
  const lost = Math.max(0, log.sequence - since) - calls.length;
  if (lost > 0) yield { event: 'lost', data: { count: lost } };
  for (const call of calls) yield { id: call.sequence, event: 'call', data: describeCall(call) };
}

/** An application of a rule as JSON shows it. */
function describeFault(fault: TimedFault): object {
  const { rule, trigger, method, subject } = fault;
  const { pod, container } = subject;
  return {
    at: fault.at,
    rule: rule.name,
    action: actionName(fault),
    on: trigger,
    ...(method && { method }),
    subject: {
      ...(pod && { pod: { id: pod.id, name: pod.name, namespace: pod.namespace } }),
      ...(container && { container: { id: container.id, name: container.name, attempt: container.attempt } }),
    },
  };
}

/** Container events until the client goes; calls and faults go on when the runtime has none, or ends the stream. */
async function relay(
  service: CriService,
  signal: AbortSignal,
  put: (event: ServerSentEvent) => void,
): Promise<void> {
  try {
    for await (const message of service.getContainerEvents({}, { signal, deadline: undefined })) {
      const event = decoded(message, ContainerEventResponse);
      put({ event: 'event', data: ContainerEventResponse.toJSON(event) });
    }
  } catch (error) {
    put({ event: 'error', data: { detail: error instanceof Error ? error.message : String(error) } });
  }
}
