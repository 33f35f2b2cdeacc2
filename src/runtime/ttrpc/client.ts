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
import { encodeFrame, type Frame, FrameReader, FrameType } from './frame.js';
import { LARGEST_MESSAGE, LONGEST_STATUS, tooLong } from './limits.js';
import { decodeResponse, encodeRequest } from './messages.js';
import type { Pipe } from './pipe.js';

export interface CallOptions {
  /** In ms. The other end receives it, and the call fails with `timeout`. Default: no limit. */
  readonly timeout?: number | undefined;
  /** The call fails with `cancelled` when it aborts. ttrpc has no message that would notify the other end. */
  readonly signal?: AbortSignal | undefined;
  readonly metadata?: readonly (readonly [string, string])[] | undefined;
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
      if (frame.type !== FrameType.Response) throw protocolError('a message of a stream in a unary call');
      return decodeAnswer(definition, frame.payload) as never;
    },
    close: streams.close,
  };
}

interface Streams {
  /** Begins a stream under the next number; numbers on the wire only grow. */
  begin(payload: Buffer, answered: Answered): number;
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
    begin: (payload, answered) => {
      if (isClosed) throw closedError();
      checkLength(payload);
      const stream = next;
      next += 2;
      open.set(stream, answered);
      pipe.write(encodeFrame({ stream, type: FrameType.Request, flags: 0, payload }));
      return stream;
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

const encodeCall = (
  service: ServiceDefinition,
  { name, requestType }: MethodDefinition<unknown>,
  request: unknown,
  { timeout, metadata = [] }: CallOptions,
): Buffer =>
  encodeRequest({
    service: service.fullName,
    method: name,
    payload: encodeWith(requestType, request),
    timeout: timeout === undefined ? 0n : BigInt(Math.max(1, Math.round(timeout * 1e6))),
    metadata,
  });

/** Resolves with the frame that answers a call, unless the call is abandoned first. */
async function answerOf(
  payload: Buffer,
  { timeout, signal }: CallOptions,
  streams: Streams,
  clock: Clock,
): Promise<Frame> {
  let release = () => {};
  const answer = new Promise<Frame>((resolve, reject) => {
    const stream = streams.begin(payload, { frame: resolve, failed: reject });
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
