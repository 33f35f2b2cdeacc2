import { status as Code } from '@grpc/grpc-js';
import type { Clock } from '../clock/clock.js';
import { type ClientLeg, TRANSIT_KEY, type Transit } from '../clock/network/transit.js';
import { createRealClock } from '../clock/real-clock.js';
import { type AbortWatch, createAbortWatch } from './abort-watch.js';
import {
  CallError,
  type CallOptions,
  type CriCalls,
  LARGEST_REPLY,
  rememberLast,
} from './in-process-client.js';
import { messageTypeOf, rpcName } from './messages.js';
import { type CriMethodName, type CriRequest, criMethods } from './service.js';
import { type CallListener, type OutgoingCall, startCall, withPrefix } from './wire/call.js';
import { type Channel, createChannel } from './wire/channel.js';
import { LARGEST_FRAME } from './wire/frames.js';
import { encodeFields } from './wire/hpack.js';
import type { WireStatus } from './wire/status.js';

/** A message of which any field may be left out, at any depth. */
export type Partially<T> = T extends Uint8Array | bigint | string | number | boolean | undefined
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Partially<Item>[]
    : { readonly [Field in keyof T]?: Partially<T[Field]> | undefined };

/** What one call is made with. */
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

/** What a client is made with. */
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
 * client it takes replies of up to 16 MiB and sends no proxy or authority of its own. Replies must not be changed:
 * bytes that came before are not decoded again. Why it is not grpc-js's: docs/decisions/0009-own-client.md.
 */
export function connectCri(endpoint: string, { clock = createRealClock() }: ConnectOptions = {}): CriClient {
  const channel = createChannel(endpoint);
  const watch = createAbortWatch();
  const calls = Object.entries(criMethods).map(([name, method]) => {
    const caller = new Caller(method as unknown as Method, channel, clock, watch);
    return [
      name as CriMethodName,
      method.responseStream ? caller.stream.bind(caller) : caller.unary.bind(caller),
    ];
  });
  return {
    ...(Object.fromEntries(calls) as unknown as Omit<CriClient, 'waitForReady' | 'close'>),
    waitForReady: (timeout) => channel.waitForReady(timeout),
    close: () => channel.close(),
  };
}

/** One RPC of one client. */
class Caller {
  readonly #channel: Channel;
  readonly #clock: Clock;
  readonly #watch: AbortWatch;
  readonly #rpc: string;
  readonly #fields: Buffer;
  readonly #encode: (request: object) => Buffer;
  readonly #decode: (bytes: Buffer) => object;

  constructor(method: Method, channel: Channel, clock: Clock, watch: AbortWatch) {
    this.#channel = channel;
    this.#watch = watch;
    this.#clock = clock;
    this.#rpc = rpcName(method.path);
    this.#fields = encodeFields([
      [':method', 'POST'],
      [':scheme', 'http'],
      [':path', method.path],
      [':authority', 'localhost'],
      ['te', 'trailers'],
      ['content-type', 'application/grpc'],
    ]);
    const type = messageTypeOf(this.#rpc, 'Request');
    // Callers may leave fields out; the generated encoder wants repeated fields and maps to be there.
    this.#encode = (request) => method.requestSerialize(type.fromPartial(request));
    this.#decode = method.responseStream
      ? method.responseDeserialize
      : rememberLast(method.responseDeserialize);
  }

  unary(request: object, options: ClientCallOptions = {}): Promise<object> {
    const reply = new Promise<Buffer>((resolve, reject) => {
      let message: Buffer | undefined;
      const { passage } = this.#start(request, options, {
        message: (bytes) => {
          message = bytes;
        },
        end: (status) => {
          passage?.end();
          if (status.code !== Code.OK) reject(this.#error(status));
          else if (message === undefined) reject(this.#error(NO_MESSAGE));
          else resolve(message);
        },
      });
    });
    return this.#clock.idle(reply).then(this.#read);
  }

  /** A message's passage is over once the consumer asks for the next. */
  async *stream(request: object, options: ClientCallOptions = {}): AsyncGenerator<object, void> {
    const queue: Buffer[] = [];
    let status: WireStatus | undefined;
    let wake = () => {};
    const { call, passage, release } = this.#start(request, options, {
      message: (bytes) => {
        call.hold(true);
        queue.push(bytes);
        wake();
      },
      end: (given) => {
        status = given;
        wake();
      },
    });
    try {
      for (;;) {
        const bytes = queue.shift();
        if (bytes !== undefined) {
          yield this.#read(bytes);
          passage?.received();
        } else if (status === undefined) {
          call.hold(false);
          const woken = new Promise<void>((resolve) => {
            wake = resolve;
          });
          await this.#clock.idle(woken);
        } else if (status.code === Code.OK) return;
        else throw this.#error(status);
      }
    } finally {
      call.cancel();
      release();
      passage?.end();
    }
  }

  /** Starts a call, which ends for the caller also when it cancels, or when its time is over. */
  #start(request: object, options: ClientCallOptions, listener: CallListener): Started {
    if (options.signal?.aborted) throw this.#error(cancellation(options.signal));
    const body = this.#bodyOf(request);
    const passage = this.#clock.transit && new Passage(this.#clock.transit);
    const fields = () => this.#fieldsOf(options, passage?.begin());
    const call = startCall(
      this.#channel,
      { fields, body, largest: LARGEST_REPLY },
      {
        message: listener.message,
        end: (status) => {
          release();
          listener.end(status);
        },
      },
    );
    const release = this.#limit(options, (status) => {
      call.cancel();
      release();
      listener.end(status);
    });
    return { call, passage, release };
  }

  /** Calls `giveUp` when the caller's signal aborts or its time is over; returns how to stop that. */
  #limit({ signal, timeout }: CallOptions, giveUp: (status: WireStatus) => void): () => void {
    const unwatch = this.#watch(signal, () => giveUp(cancellation(signal)));
    const late = () => giveUp({ code: Code.DEADLINE_EXCEEDED, details: 'context deadline exceeded' });
    const timer = timeout === undefined ? undefined : this.#clock.setTimer(timeout, late);
    return () => {
      timer?.cancel();
      unwatch();
    };
  }

  #bodyOf(request: object): Buffer {
    const body = withPrefix(this.#encode(request));
    if (body.length <= LARGEST_REPLY) return body;
    const details = `trying to send message larger than max (${body.length} vs. ${LARGEST_REPLY})`;
    throw this.#error({ code: Code.RESOURCE_EXHAUSTED, details });
  }

  /** On a real clock the deadline goes with the call, as the kubelet's does; others are kept here alone. */
  #fieldsOf({ timeout, metadata }: ClientCallOptions, passage: string | undefined): Buffer {
    const isTimed = timeout !== undefined && this.#clock.kind === 'real';
    if (!isTimed && passage === undefined && metadata === undefined) return this.#fields;
    const own = Object.entries(metadata ?? {}).map(([name, value]) => [name.toLowerCase(), value] as const);
    if (isTimed) own.push(['grpc-timeout', wireTimeout(timeout)]);
    if (passage !== undefined) own.push([TRANSIT_KEY, passage]);
    const fields = Buffer.concat([this.#fields, encodeFields(own)]);
    if (fields.length <= LARGEST_FRAME) return fields;
    throw new RangeError(`metadata of ${fields.length} bytes; ${LARGEST_FRAME} go with a call`);
  }

  readonly #read = (bytes: Buffer): object => {
    try {
      return this.#decode(bytes);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const details = `grpc: failed to unmarshal the received message: ${reason}`;
      throw this.#error({ code: Code.INTERNAL, details });
    }
  };

  #error({ code, details }: WireStatus): CallError {
    return new CallError(code, details, this.#rpc);
  }
}

/** A call's way through virtual time. Each attempt is one of the transit's own, for the server meets each anew. */
class Passage {
  readonly #transit: Transit;
  #leg: ClientLeg | undefined;

  constructor(transit: Transit) {
    this.#transit = transit;
  }

  /** Returns the attempt's id; the one before is given up. */
  begin(): string {
    const before = this.#leg;
    this.#leg = this.#transit.begin();
    before?.end();
    return this.#leg.id;
  }

  received(): void {
    this.#leg?.received();
  }

  end(): void {
    this.#leg?.end();
  }
}

interface Started {
  readonly call: OutgoingCall;
  readonly passage: Passage | undefined;
  /** Lets go of the caller's signal and of the timer. */
  readonly release: () => void;
}

const NO_MESSAGE: WireStatus = {
  code: Code.INTERNAL,
  details: 'cardinality violation: received no response message from non-server-streaming RPC',
};

/** gRPC's header takes up to eight digits: milliseconds, or seconds when it is long. */
const wireTimeout = (timeout: number): string =>
  timeout < 1e8
    ? `${Math.max(0, Math.ceil(timeout))}m`
    : `${Math.ceil(Math.min(timeout, 1e11 - 1e3) / 1000)}S`;

const cancellation = (signal: AbortSignal | undefined): WireStatus => ({
  code: Code.CANCELLED,
  details: signal?.reason instanceof Error ? signal.reason.message : 'cancelled by the caller',
});
