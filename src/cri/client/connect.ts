import { Metadata } from '@grpc/grpc-js';
import type { Clock } from '../../base/clock/clock.js';
import { type ClientLeg, TRANSIT_KEY } from '../../base/clock/network/transit.js';
import { createRealClock } from '../../base/clock/real-clock.js';
import { messageOf } from '../../base/input/error-text.js';
import { LARGEST_MESSAGE } from '../limits.js';
import { allMethods, type CriMethod } from '../methods.js';
import type { CallStatus } from '../status-code.js';
import { Code } from '../status-code.js';
import { type AbortWatch, createAbortWatch } from './abort-watch.js';
import { CallError } from './call-error.js';
import { type Channel, type OutgoingCall, openChannel } from './channel.js';
import { type CallOptions, type CriClient, createClient, type Transport } from './client.js';
import { CLOSING, LATE, NO_REPLY } from './go-status.js';
import { rememberLatest } from './latest-replies.js';

export type CriConnection = CriClient & {
  /** Resolves once connected; rejects after `timeout` ms of real time, or when it is closed. */
  waitForReady(timeout: number): Promise<void>;
  /** Ends running calls, and refuses others, with CANCELLED. */
  close(): void;
};

export interface ConnectOptions {
  /** The clock for timeouts; default: the machine's. A virtual clock stands still while messages are in transit. */
  readonly clock?: Clock | undefined;
}

/**
 * Connects to `unix:///path`, `unix:path`, `/path`, `tcp://host:port` or `host:port` with the first call. Like the
 * kubelet's client it accepts replies of up to 16 MiB. Failures have the texts of Go's gRPC, which a kubelet's log
 * shows. Replies must not be changed: an unchanged reply is decoded only once.
 */
export function connectCri(
  endpoint: string,
  { clock = createRealClock() }: ConnectOptions = {},
): CriConnection {
  const channel = openChannel(endpoint);
  const transport = new GrpcTransport(channel, clock);
  return {
    ...createClient(transport),
    waitForReady: (timeout) => channel.waitForReady(timeout),
    close: () => {
      transport.close();
      channel.close();
    },
  };
}

class GrpcTransport implements Transport {
  readonly #channel: Channel;
  readonly #clock: Clock;
  readonly #watch: AbortWatch = createAbortWatch();
  readonly #latestReplies = new Map(
    allMethods.map((method) => [method, rememberLatest(method.decodeReply)] as const),
  );
  readonly #underWay = new Set<(status: CallStatus) => void>();
  #isClosed = false;

  constructor(channel: Channel, clock: Clock) {
    this.#channel = channel;
    this.#clock = clock;
  }

  close(): void {
    this.#isClosed = true;
    for (const end of [...this.#underWay]) end(CLOSING);
  }

  async unary(method: CriMethod, request: object, options: CallOptions): Promise<object> {
    const reply = new Promise<Buffer>((resolve, reject) => {
      let message: Buffer | undefined;
      const call = this.#start(method, request, options, {
        message: (bytes) => {
          message = bytes;
          call.read();
        },
        end: (status) => {
          if (status.code !== Code.OK) reject(failure(method, status));
          else if (message === undefined) reject(failure(method, NO_REPLY));
          else resolve(message);
        },
      });
    });
    const decode = this.#latestReplies.get(method) ?? method.decodeReply;
    return this.#clock.idle(reply).then((bytes) => read(method, decode, bytes));
  }

  /** A virtual clock stands still from the sending of a message until the consumer requests the next one. */
  async *stream(method: CriMethod, request: object, options: CallOptions): AsyncGenerator<object, void> {
    const queue: Buffer[] = [];
    let status: CallStatus | undefined;
    let isReading = true;
    let wake = () => {};
    const call = this.#start(method, request, options, {
      message: (bytes) => {
        queue.push(bytes);
        isReading = queue.length < READ_AHEAD;
        if (isReading) call.read();
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
          yield read(method, method.decodeReply, bytes);
          call.leg?.received();
          continue;
        }
        if (status?.code === Code.OK) return;
        if (status !== undefined) throw failure(method, status);
        if (!isReading) {
          isReading = true;
          call.read();
        }
        const woken = new Promise<void>((resolve) => {
          wake = resolve;
        });
        await this.#clock.idle(woken);
      }
    } finally {
      call.cancel();
    }
  }

  /** Starts a call; it also ends when its caller cancels it, its timeout passes or the client is closed. */
  #start(method: CriMethod, request: object, options: CallOptions, listener: Listener): StartedCall {
    const { signal, timeout } = options;
    if (signal?.aborted) throw failure(method, cancellation(signal));
    if (this.#isClosed) throw failure(method, CLOSING);
    const message = encode(method, request);
    const metadata = new Metadata();
    for (const [name, value] of Object.entries(options.metadata ?? {})) metadata.set(name, value);
    const leg = this.#clock.transit?.begin();
    if (leg !== undefined) metadata.set(TRANSIT_KEY, leg.id);

    const release = () => {
      timer?.cancel();
      unwatch();
      this.#underWay.delete(giveUp);
      leg?.end();
    };
    const giveUp = (status: CallStatus) => {
      call.cancel();
      release();
      listener.end(status);
    };
    const timer = timeout === undefined ? undefined : this.#clock.setTimer(timeout, () => giveUp(LATE));
    const unwatch = this.#watch(signal, () => giveUp(cancellation(signal)));
    this.#underWay.add(giveUp);
    const call = this.#channel.start(
      { path: method.path, metadata, message, deadline: this.#deadline(timeout) },
      {
        message: listener.message,
        end: (status) => {
          release();
          listener.end(status);
        },
      },
    );
    const cancel = () => {
      call.cancel();
      release();
    };
    return { read: call.read, cancel, leg };
  }

  /** On a real clock the server receives the deadline, as from the kubelet; other clocks don't match the server's. */
  #deadline(timeout: number | undefined): number | undefined {
    if (timeout === undefined || this.#clock.kind !== 'real') return undefined;
    return Number(this.#clock.now() / 1_000_000n) + timeout;
  }
}

/** Messages of a stream that are read ahead of its consumer: a failure would drop them (grpc-js). */
const READ_AHEAD = 16;

interface Listener {
  message(bytes: Buffer): void;
  /** Called once, last. */
  end(status: CallStatus): void;
}

interface StartedCall extends OutgoingCall {
  /** The call's time in transit on a virtual clock. */
  readonly leg: ClientLeg | undefined;
}

function encode(method: CriMethod, request: object): Buffer {
  const message = method.encodeRequest(request);
  if (message.length <= LARGEST_MESSAGE) return message;
  const details = `trying to send message larger than max (${message.length} vs. ${LARGEST_MESSAGE})`;
  throw failure(method, { code: Code.RESOURCE_EXHAUSTED, details });
}

function read(method: CriMethod, decode: (bytes: Buffer) => object, bytes: Buffer): object {
  try {
    return decode(bytes);
  } catch (error) {
    const reason = messageOf(error);
    const details = `grpc: failed to unmarshal the received message: ${reason}`;
    throw failure(method, { code: Code.INTERNAL, details });
  }
}

const failure = ({ name: method }: CriMethod, { code, details, unreached }: CallStatus): CallError =>
  new CallError(code, details, { method, unreached });

const cancellation = (signal: AbortSignal | undefined): CallStatus => ({
  code: Code.CANCELLED,
  details: signal?.reason instanceof Error ? signal.reason.message : 'cancelled by the caller',
});
