import type { Clock } from '../clock/clock.js';
import { Code } from '../cri/status-code.js';
import {
  encodeWith,
  type MethodDefinition,
  type RequestOf,
  type ResponseOf,
  type ServiceDefinition,
} from './definition.js';
import { closedError, protocolError, statusError, TtrpcError } from './error.js';
import { encodeFrame, Flag, type Frame, FrameReader, FrameType } from './frame.js';
import { LARGEST_MESSAGE, tooLong } from './limits.js';
import { decodeResponse, encodeRequest } from './messages.js';
import type { Pipe } from './pipe.js';
import { createQueue } from './queue.js';

/** How long a call may take, and who gives it up. */
export interface CallOptions {
  /** In ms. The other end receives it, and the call fails with `timeout`. Default: no limit. */
  readonly timeout?: number | undefined;
  /** The call fails with `cancelled` when it aborts; the other end does not learn it, as ttrpc has no message for it. */
  readonly signal?: AbortSignal | undefined;
  readonly metadata?: readonly (readonly [string, string])[] | undefined;
}

/** A stream of messages in one or both directions. */
export interface ClientStream<Req, Res> {
  send(request: Req): void;
  /** Nothing more is sent. */
  end(): void;
  /** What comes; it fails as the call does. */
  readonly responses: AsyncIterable<Res>;
}

/** Calls over one connection, any number of them at once. */
export interface TtrpcClient {
  /** A call of one request and one response; rejects with TtrpcError. */
  call<S extends ServiceDefinition, M extends keyof S['methods']>(
    service: S,
    method: M,
    request: RequestOf<S['methods'][M]>,
    options?: CallOptions,
  ): Promise<ResponseOf<S['methods'][M]>>;
  /** A stream. `request` is the only one if the client sends one message, and is left out otherwise. */
  stream<S extends ServiceDefinition, M extends keyof S['methods']>(
    service: S,
    method: M,
    request?: RequestOf<S['methods'][M]>,
  ): ClientStream<RequestOf<S['methods'][M]>, ResponseOf<S['methods'][M]>>;
  /** Ends all calls with `closed`. */
  close(): void;
}

interface Answered {
  frame(frame: Frame): void;
  failed(error: TtrpcError): void;
}

/** The client of a pipe. Calls `onClose` once when the connection is gone. */
export function createClient(pipe: Pipe, clock: Clock, onClose: () => void = () => {}): TtrpcClient {
  const calls = new Map<number, Answered>();
  let next = 1;
  let isClosed = false;
  const closed = () => {
    if (isClosed) return;
    isClosed = true;
    const all = [...calls.values()];
    calls.clear();
    for (const call of all) call.failed(closedError());
    onClose();
  };
  const reader = new FrameReader({
    // A message for a call that was given up is no mistake.
    frame: (frame) => calls.get(frame.stream)?.frame(frame),
    oversized: ({ stream, length }) => calls.get(stream)?.failed(oversized(length, 'status')),
  });
  pipe.listen({ data: (chunk) => reader.push(chunk), closed });

  /** Begins a stream under the next number; numbers on the wire only grow. */
  const begin = (payload: Buffer, flags: number, answered: Answered): number => {
    if (isClosed) throw closedError();
    if (payload.length > LARGEST_MESSAGE) throw oversized(payload.length, 'oversized');
    const stream = next;
    next += 2;
    calls.set(stream, answered);
    pipe.write(encodeFrame({ stream, type: FrameType.Request, flags, payload }));
    return stream;
  };

  return {
    call: async (service, method, request, { timeout, signal, metadata = [] } = {}) => {
      const definition = service.methods[method as string] as MethodDefinition<unknown>;
      const payload = encodeRequest({
        service: service.fullName,
        method: definition.name,
        payload: encodeWith(definition.requestType, request as unknown),
        timeout: timeout === undefined ? 0n : BigInt(Math.max(1, Math.round(timeout * 1e6))),
        metadata,
      });
      if (signal?.aborted) throw cancelled();
      let stream = 0;
      let release = () => {};
      const answer = new Promise<Frame>((resolve, reject) => {
        stream = begin(payload, 0, { frame: resolve, failed: reject });
        const timer = timeout === undefined ? undefined : clock.setTimer(timeout, () => reject(timedOut()));
        const abort = () => reject(cancelled());
        signal?.addEventListener('abort', abort, { once: true });
        release = () => {
          timer?.cancel();
          signal?.removeEventListener('abort', abort);
          calls.delete(stream);
        };
      });
      try {
        const frame = await clock.idle(answer);
        if (frame.type !== FrameType.Response)
          throw protocolError('a message of a stream in a call without one');
        return decodeAnswer(definition, frame.payload) as never;
      } finally {
        release();
      }
    },

    stream: (service, method, request) => {
      const definition = service.methods[method as string] as MethodDefinition<unknown>;
      const queue = createQueue<unknown>();
      const finish = (error?: TtrpcError) => {
        calls.delete(stream);
        queue.end(error);
      };
      const first =
        request === undefined ? Buffer.alloc(0) : encodeWith(definition.requestType, request as unknown);
      const opening = {
        service: service.fullName,
        method: definition.name,
        payload: first,
        timeout: 0n,
        metadata: [],
      };
      const flags = definition.requestStream ? Flag.RemoteOpen : Flag.RemoteClosed;
      const stream: number = begin(encodeRequest(opening), flags, {
        frame: (frame) => {
          try {
            receive(definition, frame, queue, finish);
          } catch (error) {
            finish(error instanceof TtrpcError ? error : protocolError(String(error)));
          }
        },
        failed: finish,
      });
      const sendData = (dataFlags: number, payload: Buffer) => {
        if (payload.length > LARGEST_MESSAGE) throw oversized(payload.length, 'oversized');
        pipe.write(encodeFrame({ stream, type: FrameType.Data, flags: dataFlags, payload }));
      };
      return {
        send: (message) => sendData(0, encodeWith(definition.requestType, message as unknown)),
        end: () => sendData(Flag.RemoteClosed | Flag.NoData, Buffer.alloc(0)),
        responses: queue as never,
      };
    },

    close: () => {
      pipe.close();
      closed();
    },
  };
}

function receive(
  definition: MethodDefinition<unknown>,
  { type, flags, payload }: Frame,
  queue: { push(message: unknown): boolean },
  finish: (error?: TtrpcError) => void,
): void {
  const push = (message: unknown) => {
    if (!queue.push(message)) throw protocolError('more messages than may wait');
  };
  if (type === FrameType.Response) {
    push(decodeAnswer(definition, payload));
    finish();
  } else if (type === FrameType.Data) {
    if (!definition.responseStream) throw protocolError('a message of a stream from a server without one');
    if ((flags & Flag.NoData) === 0) push(definition.responseType.decode(payload));
    if ((flags & Flag.RemoteClosed) !== 0) finish();
  }
}

function decodeAnswer(definition: MethodDefinition<unknown>, bytes: Buffer): unknown {
  try {
    const { status, payload } = decodeResponse(bytes);
    if (status !== undefined && status.code !== Code.OK) throw statusError(status.code, status.message);
    return definition.responseType.decode(payload);
  } catch (error) {
    if (error instanceof TtrpcError) throw error;
    throw protocolError(`the answer to ${definition.name} can't be decoded (${(error as Error).message})`);
  }
}

const oversized = (length: number, kind: 'status' | 'oversized'): TtrpcError =>
  new TtrpcError(kind, Code.RESOURCE_EXHAUSTED, tooLong(length), length);

const timedOut = (): TtrpcError =>
  new TtrpcError('timeout', Code.DEADLINE_EXCEEDED, 'context deadline exceeded');

const cancelled = (): TtrpcError => new TtrpcError('cancelled', Code.CANCELLED, 'context canceled');
