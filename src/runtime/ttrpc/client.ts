import type { Clock } from '../../base/clock/clock.js';
import { boundedReader } from '../../cri/bounded-reader.js';
import { shortened } from '../../cri/shortened.js';
import { Code } from '../../cri/status-code.js';
import {
  encodeWith,
  type MethodDefinition,
  type RequestOf,
  type ResponseOf,
  type ServiceDefinition,
} from './definition.js';
import { closedError, protocolError, statusError, TtrpcError, timeoutError } from './error.js';
import { encodeFrame, Flag, type Frame, FrameReader, FrameType } from './frame.js';
import { LARGEST_MESSAGE, LONGEST_STATUS, tooLong } from './limits.js';
import { decodeResponse, encodeRequest } from './messages.js';
import type { Pipe } from './pipe.js';
import { createQueue } from './queue.js';

export interface CallOptions {
  /** In ms. The other end receives it, and the call fails with `timeout`. Default: no limit. */
  readonly timeout?: number | undefined;
  /** The call fails with `cancelled` when it aborts. ttrpc has no message that would notify the other end. */
  readonly signal?: AbortSignal | undefined;
  readonly metadata?: readonly (readonly [string, string])[] | undefined;
}

export interface ClientStream<Req, Res> {
  send(request: Req): void;
  end(): void;
  /** Fails as the call does. */
  readonly responses: AsyncIterable<Res>;
}

/** Any number of concurrent calls over one connection. */
export interface TtrpcClient {
  /** A call with one request and one response; rejects with TtrpcError. */
  call<S extends ServiceDefinition, M extends keyof S['methods']>(
    service: S,
    method: M,
    request: RequestOf<S['methods'][M]>,
    options?: CallOptions,
  ): Promise<ResponseOf<S['methods'][M]>>;
  /** A stream. `request` is the only message of a client that sends one, and undefined otherwise. */
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

/** Creates a client on a pipe. Calls `onClose` once when the connection is closed. */
export function createClient(pipe: Pipe, clock: Clock, onClose: () => void = () => {}): TtrpcClient {
  const streams = createStreams(pipe, onClose);
  return {
    call: async (service, method, request, options = {}) => {
      const definition = service.methods[method as string] as MethodDefinition<unknown>;
      const payload = encodeCall(service, definition, request, options);
      if (options.signal?.aborted) throw cancelled();
      const frame = await answerOf(payload, options, streams, clock);
      if (frame.type !== FrameType.Response)
        throw protocolError('a message of a stream in a call without one');
      return decodeAnswer(definition, frame.payload) as never;
    },
    stream: (service, method, request) => {
      const definition = service.methods[method as string] as MethodDefinition<unknown>;
      return openStream(definition, encodeCall(service, definition, request), streams) as never;
    },
    close: streams.close,
  };
}

interface Streams {
  /** Begins a stream under the next number; numbers on the wire only grow. */
  begin(payload: Buffer, flags: number, answered: Answered): number;
  data(stream: number, flags: number, payload: Buffer): void;
  /** Ignores further frames of the stream. */
  end(stream: number): void;
  close(): void;
}

function createStreams(pipe: Pipe, onClose: () => void): Streams {
  const open = new Map<number, Answered>();
  let next = 1;
  let isClosed = false;
  const closed = () => {
    if (isClosed) return;
    isClosed = true;
    const all = [...open.values()];
    open.clear();
    for (const each of all) each.failed(closedError());
    onClose();
  };
  const reader = new FrameReader({
    // A message for an abandoned call is not an error.
    frame: (frame) => open.get(frame.stream)?.frame(frame),
    oversized: ({ stream, length }) => open.get(stream)?.failed(oversized(length, 'status')),
  });
  pipe.listen({ data: (chunk) => reader.push(chunk), closed });
  return {
    begin: (payload, flags, answered) => {
      if (isClosed) throw closedError();
      checkLength(payload);
      const stream = next;
      next += 2;
      open.set(stream, answered);
      pipe.write(encodeFrame({ stream, type: FrameType.Request, flags, payload }));
      return stream;
    },
    data: (stream, flags, payload) => {
      checkLength(payload);
      pipe.write(encodeFrame({ stream, type: FrameType.Data, flags, payload }));
    },
    end: (stream) => {
      open.delete(stream);
    },
    close: () => {
      pipe.close();
      closed();
    },
  };
}

/** Encodes the first message of a call or stream. */
const encodeCall = (
  service: ServiceDefinition,
  { name, requestType }: MethodDefinition<unknown>,
  request: unknown,
  { timeout, metadata = [] }: CallOptions = {},
): Buffer =>
  encodeRequest({
    service: service.fullName,
    method: name,
    payload: request === undefined ? Buffer.alloc(0) : encodeWith(requestType, request),
    timeout: timeout === undefined ? 0n : BigInt(Math.max(1, Math.round(timeout * 1e6))),
    metadata,
  });

/** Resolves with the frame that answers a call, unless the call is abandoned before. */
async function answerOf(
  payload: Buffer,
  { timeout, signal }: CallOptions,
  streams: Streams,
  clock: Clock,
): Promise<Frame> {
  let release = () => {};
  const answer = new Promise<Frame>((resolve, reject) => {
    const stream = streams.begin(payload, 0, { frame: resolve, failed: reject });
    const timer = timeout === undefined ? undefined : clock.setTimer(timeout, () => reject(timeoutError()));
    const abort = () => reject(cancelled());
    signal?.addEventListener('abort', abort, { once: true });
    release = () => {
      timer?.cancel();
      signal?.removeEventListener('abort', abort);
      streams.end(stream);
    };
  });
  try {
    return await clock.idle(answer);
  } finally {
    release();
  }
}

function openStream(
  definition: MethodDefinition<unknown>,
  payload: Buffer,
  streams: Streams,
): ClientStream<unknown, unknown> {
  const queue = createQueue<unknown>();
  const finish = (error?: TtrpcError) => {
    streams.end(stream);
    queue.end(error);
  };
  const flags = definition.requestStream ? Flag.RemoteOpen : Flag.RemoteClosed;
  const stream: number = streams.begin(payload, flags, {
    frame: (frame) => {
      try {
        receive(definition, frame, queue, finish);
      } catch (error) {
        finish(error instanceof TtrpcError ? error : protocolError(String(error)));
      }
    },
    failed: finish,
  });
  return {
    send: (message) => streams.data(stream, 0, encodeWith(definition.requestType, message)),
    end: () => streams.data(stream, Flag.RemoteClosed | Flag.NoData, Buffer.alloc(0)),
    responses: queue,
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
    if ((flags & Flag.NoData) === 0) push(definition.responseType.decode(boundedReader(payload)));
    if ((flags & Flag.RemoteClosed) !== 0) finish();
  }
}

function decodeAnswer(definition: MethodDefinition<unknown>, bytes: Buffer): unknown {
  try {
    const { status, payload } = decodeResponse(bytes);
    if (status !== undefined && status.code !== Code.OK)
      throw statusError(status.code, shortened(status.message, LONGEST_STATUS));
    return definition.responseType.decode(boundedReader(payload));
  } catch (error) {
    if (error instanceof TtrpcError) throw error;
    throw protocolError(`the answer to ${definition.name} can't be decoded (${(error as Error).message})`);
  }
}

const oversized = (length: number, kind: 'status' | 'oversized'): TtrpcError =>
  new TtrpcError(kind, Code.RESOURCE_EXHAUSTED, tooLong(length), length);

function checkLength({ length }: Buffer): void {
  if (length > LARGEST_MESSAGE) throw oversized(length, 'oversized');
}

const cancelled = (): TtrpcError => new TtrpcError('cancelled', Code.CANCELLED, 'context canceled');
