import { ContainerEventResponse } from '../cri/gen/runtime/v1/api.js';
import type { CriService } from '../cri/service.js';
import type { CallLog } from '../server/call-log.js';
import type { Route, ServerSentEvent } from './route.js';
import { describeCall } from './routes.js';

/** What may wait for one reader; beyond it the oldest is lost, and `lost` says how many were. */
const QUEUE = 1000;

/** `GET /v1/events`: finished calls as `call`, container events as `event`, live, as server-sent events. */
export function eventRoutes(log: CallLog, service: CriService | undefined): Route[] {
  return [
    { method: 'GET', path: '/v1/events', handle: ({ signal }) => ({ events: follow(log, service, signal) }) },
  ];
}

async function* follow(
  log: CallLog,
  service: CriService | undefined,
  signal: AbortSignal,
): AsyncGenerator<ServerSentEvent> {
  const queue: ServerSentEvent[] = [];
  let wake: (() => void) | undefined;
  let lost = 0;
  let isOver = false;
  const put = (event: ServerSentEvent) => {
    if (queue.push(event) > QUEUE) {
      queue.shift();
      lost++;
    }
    wake?.();
  };
  const stop = () => {
    isOver = true;
    wake?.();
  };
  const forget = log.onCall((call) => put({ event: 'call', data: describeCall(call) }));
  signal.addEventListener('abort', stop, { once: true });
  if (service) void relay(service, signal, put).finally(stop);
  try {
    while (!isOver || queue.length > 0) {
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
    forget();
  }
}

/** Container events until the client goes or the runtime closes; a failing stream ends them. */
async function relay(
  service: CriService,
  signal: AbortSignal,
  put: (event: ServerSentEvent) => void,
): Promise<void> {
  try {
    for await (const message of service.getContainerEvents({}, { signal, deadline: undefined })) {
      const event = Buffer.isBuffer(message) ? ContainerEventResponse.decode(message) : message;
      put({ event: 'event', data: ContainerEventResponse.toJSON(event as ContainerEventResponse) });
    }
  } catch (error) {
    put({ event: 'error', data: { detail: error instanceof Error ? error.message : String(error) } });
  }
}
