import type { Clock } from '../../src/base/clock/clock.js';
import { CriError, StatusError, unsupported } from '../../src/cri/errors.js';
import type { ContainerEventResponse } from '../../src/cri/gen/runtime/v1/api.js';
import type { Call, CriService } from '../../src/cri/service.js';
import { Code } from '../../src/cri/status-code.js';
import type { AnyRequest } from '../../src/cri/subject.js';
import { createService } from '../../src/cri/wrap-service.js';
import type { Exchange, History } from '../../src/tape/history/exchanges.js';
import { fieldsOf } from '../../src/tape/history/fields.js';
import { isReading } from '../../src/tape/history/sightings.js';
import { subjectText } from '../../src/tape/pod-text.js';
import { Events } from './events.js';
import { missText } from './nearest.js';
import { read } from './reading.js';
import { ReplayedObjects } from './replayed-objects.js';
import { type Match, Sequences } from './sequences.js';

export interface TapeServiceOptions {
  readonly history: History;
  readonly clock: Clock;
  readonly onMiss?: ((text: string) => void) | undefined;
}

/** A runtime that answers as the recorded one did. */
export interface TapeService {
  readonly service: CriService;
  close(): void;
}

export class TapeMiss extends CriError {
  constructor(message: string) {
    super('wrong-state', message);
  }
}

const NANOS_PER_MILLI = 1e6;

/** Calls that returned the URL of a server which no longer exists. */
const STREAMING = ['Exec', 'Attach', 'PortForward'];

/**
 * Serves a tape. A changing call gets the reply of its recorded counterpart: the same method on the same pod, container
 * or image, the first call the first reply, the second call the second. A reading call gets the recorded views of the
 * objects, each at its place on the tape. Containers end, and events come, with the recorded delay after these calls.
 */
export function createTapeService({ history, clock, onMiss }: TapeServiceOptions): TapeService {
  const objects = new ReplayedObjects(history, clock);
  const sequences = new Sequences(history);
  const events = new Events(objects, clock);
  const closing = new AbortController();

  const nameOf = (id: string): string => {
    const exchange = (objects.tracks.get('container', id) ?? objects.tracks.get('pod', id))?.created;
    return subjectText(exchange?.subject ?? {}) || id;
  };
  const miss = (method: string, request: object): never => {
    const text = missText(method, fieldsOf(method, request), sequences.ofMethod(method), nameOf);
    onMiss?.(text);
    throw new TapeMiss(text);
  };
  const withWholeIds = <T extends object>(request: T): T => {
    const { podSandboxId = '', containerId = '' } = request as AnyRequest;
    return {
      ...request,
      ...(podSandboxId && { podSandboxId: objects.wholeId('pod', podSandboxId) }),
      ...(containerId && { containerId: objects.wholeId('container', containerId) }),
    };
  };
  const wait = (nanos: number, call: Call): Promise<void> =>
    nanos > 0
      ? clock.sleep(nanos / NANOS_PER_MILLI, AbortSignal.any([call.signal, closing.signal]))
      : Promise.resolve();

  const unary = async (method: string, given: object, call: Call): Promise<object> => {
    objects.begin();
    events.advance();
    const request = withWholeIds(given);
    if (STREAMING.includes(method))
      throw unsupported(`${method}: a tape has no streaming server; ExecSync is answered`);
    if (isReading(method)) {
      const reading = read(objects, method, request) ?? miss(method, request);
      await wait(reading.took, call);
      return reading.reply;
    }
    // A tape has no log files, so a kubelet asks for them repeatedly.
    if (method === 'ReopenContainerLog' && sequences.ofMethod(method).length === 0) return {};
    const match = sequences.take(method, fieldsOf(method, request)) ?? miss(method, request);
    return play(match, request, call);
  };

  const play = async ({ exchange, isRepeated }: Match, request: object, call: Call): Promise<object> => {
    const players = [...objects.players()].filter(({ track }) => track.changes.includes(exchange));
    const isDone = isRepeated && exchange.outcome?.code === 'OK' && exchange.method !== 'ExecSync';
    for (const player of players) player.begin(exchange);
    noteMade(exchange, request);
    events.advance();
    await wait(isDone ? 0 : lengthOf(exchange), call);
    for (const player of players) player.end(exchange);
    events.advance();
    return objects.asOfNow(replyOf(exchange, call), players[0]);
  };
  const noteMade = (exchange: Exchange, request: object) => {
    const { podSandboxId, containerId } = exchange.reply?.value<AnyRequest>() ?? {};
    const id = exchange.method === 'CreateContainer' ? containerId : podSandboxId;
    if (id) objects.made(exchange, id, request);
  };

  const streams = createStreams({ sequences, events, clock, closing: closing.signal, miss });
  const service = createService({
    unary:
      ({ name }) =>
      (request, call) =>
        unary(name, request, call),
    stream: ({ name }) =>
      async function* (request, call) {
        objects.begin();
        events.advance();
        if (name === 'GetContainerEvents') yield* streams(call);
        else yield await unary(name, request, call);
      },
  });
  return {
    service,
    close: () => {
      events.close();
      closing.abort();
    },
  };
}

interface StreamsOptions {
  readonly sequences: Sequences;
  readonly events: Events;
  readonly clock: Clock;
  readonly closing: AbortSignal;
  readonly miss: (method: string, request: object) => never;
}

/** Streams of container events: the first ends as the first on the tape, the second as the second. */
function createStreams({ sequences, events, clock, closing, miss }: StreamsOptions) {
  let opened = 0;
  return async function* (call: Call): AsyncGenerator<ContainerEventResponse> {
    const recorded = sequences.ofMethod('GetContainerEvents');
    const exchange = recorded[opened++] ?? recorded.at(-1) ?? miss('GetContainerEvents', {});
    const queue: ContainerEventResponse[] = [];
    let wake = () => {};
    const leave = events.subscribe((event) => {
      queue.push(event);
      wake();
    });
    const signal = AbortSignal.any([call.signal, closing]);
    const isOver = endOf(exchange);
    let ended = false;
    const end = () => {
      ended = true;
      wake();
    };
    signal.addEventListener('abort', end);
    const timer = isOver ? clock.setTimer(lengthOf(exchange) / NANOS_PER_MILLI, end) : undefined;
    try {
      for (;;) {
        const event = queue.shift();
        if (event !== undefined) yield event;
        else if (ended) break;
        else
          await clock.idle(
            new Promise<void>((resolve) => {
              wake = resolve;
            }),
          );
      }
      if (isOver && !signal.aborted) replyOf(exchange, call);
    } finally {
      leave();
      timer?.cancel();
      signal.removeEventListener('abort', end);
    }
  };
}

/** Whether the runtime ended a stream; one that its client left, or that was open at the end, stays open. */
const endOf = ({ outcome }: Exchange): boolean => outcome !== undefined && outcome.by === undefined;

/** Duration of a call in ns; one without an end lasts until its client leaves. */
const lengthOf = ({ at, until }: Exchange): number => (Number.isFinite(until) ? until - at : 1e15);

function replyOf({ outcome, reply, method }: Exchange, call: Call): object {
  for (const [name, values] of Object.entries(outcome?.trailers ?? {}))
    for (const value of values)
      call.transport?.addTrailer(name, name.endsWith('-bin') ? Buffer.from(value, 'base64') : value);
  if (outcome?.code === 'OK') return reply?.value() ?? {};
  const { code = 'UNAVAILABLE' as const, details = `${method} was never answered` } = outcome ?? {};
  throw new StatusError(Code[code], details);
}
