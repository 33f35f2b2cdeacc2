import {
  Client,
  type ClientReadableStream,
  status as Code,
  credentials,
  Metadata,
  type ServiceError,
} from '@grpc/grpc-js';
import type { Clock } from '../clock/clock.js';
import { createRealClock } from '../clock/real-clock.js';
import { type ClientLeg, TRANSIT_KEY } from '../clock/transit.js';
import { CallError, type CallOptions, type CriCalls, LARGEST_REPLY } from './in-process-client.js';
import { messageTypeOf, rpcName } from './messages.js';
import { type CriMethodName, type CriRequest, criMethods } from './service.js';

/** A message of which any field may be left out, at any depth. */
export type Partially<T> = T extends Uint8Array | bigint | string | number | boolean | undefined
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Partially<Item>[]
    : { readonly [Field in keyof T]?: Partially<T[Field]> | undefined };

export interface ClientCallOptions extends CallOptions {
  /** Sent along, name by name; a name that ends in `-bin` isn't taken. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** A connection to a CRI endpoint: one method an RPC; requests may leave fields out. Failures are `CallError`. */
export type CriClient = {
  [M in CriMethodName]: (
    request: Partially<CriRequest<M>>,
    options?: ClientCallOptions,
  ) => ReturnType<CriCalls[M]>;
} & {
  /** Resolves once connected; rejects after `timeout` ms of real time. */
  waitForReady(timeout: number): Promise<void>;
  close(): void;
};

export interface ConnectOptions {
  /** For timeouts; default the machine's clock. On a virtual clock the calls' passage holds it. */
  readonly clock?: Clock | undefined;
}

interface Method {
  readonly path: string;
  readonly responseStream: boolean;
  readonly requestSerialize: (value: object) => Buffer;
  readonly responseDeserialize: (bytes: Buffer) => object;
}

/**
 * Connects to `unix:///path`, `unix:path`, `/path` or `host:port`, lazily: the first call dials. Like the kubelet's
 * client it takes replies of up to 16 MiB and sends no proxy or authority of its own.
 */
export function connectCri(endpoint: string, { clock = createRealClock() }: ConnectOptions = {}): CriClient {
  const client = new Client(targetOf(endpoint), credentials.createInsecure(), {
    'grpc.max_receive_message_length': LARGEST_REPLY,
    'grpc.max_send_message_length': LARGEST_REPLY,
    'grpc.default_authority': 'localhost',
    'grpc.enable_http_proxy': 0,
    'grpc.use_local_subchannel_pool': 1,
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 1000,
  });
  const calls = Object.entries(criMethods).map(([name, method]) => {
    const generic = method as unknown as Method;
    return [
      name as CriMethodName,
      generic.responseStream ? stream(client, generic, clock) : unary(client, generic, clock),
    ];
  });
  return {
    ...(Object.fromEntries(calls) as unknown as Omit<CriClient, 'waitForReady' | 'close'>),
    waitForReady: (timeout) =>
      new Promise((resolve, reject) => {
        const deadline = new Date(Number(createRealClock().now() / 1_000_000n) + timeout);
        client.waitForReady(deadline, (error) => (error ? reject(error) : resolve()));
      }),
    close: () => client.close(),
  };
}

/** Callers may leave fields out; the generated encoder wants repeated fields and maps to be there. */
function serializer(method: Method): (request: object) => Buffer {
  const type = messageTypeOf(rpcName(method.path), 'Request');
  return (request) => method.requestSerialize(type.fromPartial(request));
}

/** What grpc-js calls the endpoint. */
function targetOf(endpoint: string): string {
  if (endpoint.startsWith('/')) return `unix:${endpoint}`;
  return endpoint.replace(/^unix:\/\//, 'unix:').replace(/^tcp:\/\//, '');
}

function unary(client: Client, method: Method, clock: Clock) {
  const serialize = serializer(method);
  return (request: object, options: ClientCallOptions = {}): Promise<object> => {
    if (options.signal?.aborted) return Promise.reject(cancelled(options.signal, method));
    const passage = clock.transit?.begin();
    const reply = new Promise<object>((resolve, reject) => {
      const call = client.makeUnaryRequest<object, object>(
        method.path,
        serialize,
        method.responseDeserialize,
        request,
        metadataOf(options, passage),
        { deadline: deadlineOf(clock, options) },
        (error, value) => {
          limit.release();
          passage?.end();
          if (error || value === undefined)
            reject(limit.failure ?? toCallError(error as ServiceError, method));
          else resolve(value);
        },
      );
      const limit = limitCall(clock, options, method, () => call.cancel());
    });
    return clock.idle(reply);
  };
}

function stream(client: Client, method: Method, clock: Clock) {
  const serialize = serializer(method);
  return (request: object, options: ClientCallOptions = {}): AsyncIterable<object> => ({
    async *[Symbol.asyncIterator]() {
      if (options.signal?.aborted) throw cancelled(options.signal, method);
      const passage = clock.transit?.begin();
      const call = client.makeServerStreamRequest<object, object>(
        method.path,
        serialize,
        method.responseDeserialize,
        request,
        metadataOf(options, passage),
        { deadline: deadlineOf(clock, options) },
      );
      const limit = limitCall(clock, options, method, () => call.cancel());
      try {
        yield* messages(call, clock, passage);
      } catch (error) {
        throw limit.failure ?? toCallError(error as ServiceError, method);
      } finally {
        limit.release();
        call.cancel();
        passage?.end();
      }
    },
  });
}

/** A stream's messages; the passage of one is over once the consumer asks for the next. */
async function* messages(
  call: ClientReadableStream<object>,
  clock: Clock,
  passage: ClientLeg | undefined,
): AsyncGenerator<object, void> {
  // An error that comes while nobody reads must not be unhandled.
  call.on('error', () => {});
  const reader = call[Symbol.asyncIterator]();
  for (;;) {
    const next = await clock.idle(reader.next());
    if (next.done) return;
    yield next.value;
    passage?.received();
  }
}

/** On a real clock the deadline goes with the call, as the kubelet's does; others have timers of their own. */
function deadlineOf(clock: Clock, { timeout }: CallOptions): number {
  if (timeout === undefined || clock.kind !== 'real') return Number.POSITIVE_INFINITY;
  return Number(clock.now() / 1_000_000n) + timeout;
}

interface Limit {
  /** Why the call was given up, if it was. */
  readonly failure: CallError | undefined;
  release(): void;
}

/** Gives the call up when the caller's signal aborts or, on a clock of our own, when its time is over. */
function limitCall(
  clock: Clock,
  { signal, timeout }: CallOptions,
  method: Method,
  cancel: () => void,
): Limit {
  let failure: CallError | undefined;
  const giveUp = (reason: CallError) => {
    failure ??= reason;
    cancel();
  };
  const onAbort = () => giveUp(cancelled(signal, method));
  signal?.addEventListener('abort', onAbort, { once: true });
  const late = () =>
    giveUp(new CallError(Code.DEADLINE_EXCEEDED, 'context deadline exceeded', rpcName(method.path)));
  const timer = timeout === undefined || clock.kind === 'real' ? undefined : clock.setTimer(timeout, late);
  return {
    get failure() {
      return failure;
    },
    release: () => {
      timer?.cancel();
      signal?.removeEventListener('abort', onAbort);
    },
  };
}

function metadataOf(options: ClientCallOptions, passage: ClientLeg | undefined): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(options.metadata ?? {})) metadata.set(name, value);
  if (passage) metadata.set(TRANSIT_KEY, passage.id);
  return metadata;
}

const cancelled = (signal: AbortSignal | undefined, { path }: Method): CallError =>
  new CallError(
    Code.CANCELLED,
    signal?.reason instanceof Error ? signal.reason.message : 'cancelled by the caller',
    rpcName(path),
  );

const toCallError = (error: ServiceError, { path }: Method): CallError =>
  new CallError(error.code ?? Code.UNKNOWN, error.details ?? error.message, rpcName(path));
