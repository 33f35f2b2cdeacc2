import { messageOf } from '../../base/input/error-text.js';
import { ContainerEventResponse } from '../../cri/gen/runtime/v1/api.js';
import { newFieldsOf } from '../../cri/own-proto/own-proto.js';
import { decoded } from '../../cri/reply.js';
import type { CriService } from '../../cri/service.js';
import type { EntryOf } from '../../tape/entries.js';
import { listenTo, type ReadableTape } from '../../tape/tape.js';
import type { CallLog } from '../server/call-log.js';
import { describeCall } from './runtime-routes.js';
import { encodeEvent } from './server-sent-event.js';

export interface EventSources {
  readonly log: CallLog;
  /** Source of container events; undefined for none. Without fault rules: an observer must not change their counts. */
  readonly service?: CriService | undefined;
  /** Reports the applications of fault rules; undefined where there are none. */
  readonly tape?: ReadableTape | undefined;
}

export type PutEvent = (event: string, data: unknown) => void;

export interface EventSource {
  /** The `id` of the events; undefined without a history to resume from. */
  readonly sequence?: number | undefined;
  start(put: PutEvent, signal: AbortSignal): void;
}

export const runtimeEvents = ({ log, service, tape }: EventSources): EventSource => ({
  get sequence() {
    return log.sequence;
  },
  start: (put, signal) => {
    const forget = [
      log.onCall((call) => put('call', describeCall(call))),
      tape && listenTo(tape, 'fault', (fault) => put('fault', describeFault(fault, tape.startedAt))),
    ];
    signal.addEventListener('abort', () => {
      for (const one of forget) one?.();
    });
    if (service) void relayEvents(service, signal, put);
  },
});

type Reader = (entry: Buffer) => void;

/** Sends events as they happen to any number of readers. Without readers it does no work. */
export class EventFeed {
  readonly #source: EventSource;
  readonly #readers = new Set<Reader>();
  #stop: AbortController | undefined;

  constructor(source: EventSource) {
    this.#source = source;
  }

  /** Sends entries to a reader from now on. Returns a function that unsubscribes it. */
  join(reader: Reader): () => void {
    this.#readers.add(reader);
    if (this.#stop === undefined) this.#start();
    return () => {
      this.#readers.delete(reader);
      if (this.#readers.size > 0) return;
      this.#stop?.abort();
      this.#stop = undefined;
    };
  }

  #start(): void {
    const stop = new AbortController();
    this.#stop = stop;
    const put: PutEvent = (event, data) => {
      const id = this.#source.sequence;
      const entry = encodeEvent({ ...(id !== undefined && { id }), event, data });
      for (const reader of this.#readers) reader(entry);
    };
    this.#source.start(put, stop.signal);
  }
}

/** Returns a fault entry as the JSON of `/v1/events`, with its time in Unix nanoseconds. */
export function describeFault(fault: EntryOf<'fault'>, startedAt: bigint): object {
  const { t, kind: _, pod, container, ...rest } = fault;
  return {
    at: startedAt + BigInt(t),
    ...rest,
    subject: {
      ...(pod && { pod: { id: pod.id ?? '', name: pod.name, namespace: pod.namespace } }),
      ...(container && {
        container: { id: container.id ?? '', name: container.name, attempt: container.attempt },
      }),
    },
  };
}

/** Relays container events to one reader. Calls and faults continue when the runtime's stream fails or ends. */
export async function relayEvents(service: CriService, signal: AbortSignal, put: PutEvent): Promise<void> {
  try {
    for await (const message of service.getContainerEvents({}, { signal, deadline: undefined })) {
      const event = decoded(message, ContainerEventResponse);
      const newFields = newFieldsOf('ContainerEventResponse', event, 'event');
      put('event', { ...(ContainerEventResponse.toJSON(event) as object), ...(newFields && { newFields }) });
    }
  } catch (error) {
    if (!signal.aborted) put('error', { detail: messageOf(error) });
  }
}
