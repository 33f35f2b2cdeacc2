import { status } from '@grpc/grpc-js';
import { type Clock, millisToNanos } from '../clock/clock.js';
import { tick } from '../clock/turn.js';
import { type AbortWatch, createAbortWatch } from './abort-watch.js';
import type { CriError } from './errors.js';
import {
  type Call,
  type CriMethodName,
  type CriRequest,
  type CriResponse,
  type CriService,
  criMethods,
} from './service.js';

/** What one call is made with. */
export interface CallOptions {
  /** Cancels the call. */
  readonly signal?: AbortSignal | undefined;
  /** Deadline in ms from now; none by default. */
  readonly timeout?: number | undefined;
}

/** A CRI endpoint as its callers see it: one method an RPC. Errors carry a gRPC `code` and `details`. */
export type CriCalls = {
  [M in CriMethodName]: CriService[M] extends (
    ...given: never[]
  ) => AsyncIterable<CriResponse<M> | Uint8Array>
    ? (request: CriRequest<M>, options?: CallOptions) => AsyncIterable<CriResponse<M>>
    : (request: CriRequest<M>, options?: CallOptions) => Promise<CriResponse<M>>;
};

/** An RPC's failure. `code` is the gRPC status code; `method` the RPC's name, where the failure came over a wire. */
export class CallError extends Error {
  override readonly name = 'CallError';
  readonly code: number;
  readonly details: string;
  readonly method: string | undefined;

  constructor(code: number, details: string, method?: string) {
    super(details);
    this.code = code;
    this.details = details;
    this.method = method;
  }

  /** The code by name, such as NOT_FOUND. */
  get codeName(): string {
    return status[this.code] ?? String(this.code);
  }
}

/** What stands in for the server that is not there. */
export interface InProcessOptions {
  readonly clock: Clock;
  /** gRPC code of a service's error; the server's mapping, so that both ways answer the same. */
  readonly codeOf: (error: unknown) => number;
}

const CANCELLED = 1;
const DEADLINE_EXCEEDED = 4;
const RESOURCE_EXHAUSTED = 8;

/** What the kubelet's client accepts at most in one reply, in bytes (cri-client maxMsgSize). */
export const LARGEST_REPLY = 16 * 1024 * 1024;

type AnyHandler = (request: unknown, call: Call) => unknown;
type Decoder = (bytes: Buffer) => unknown;

/**
 * A client that calls a service directly, without a socket and without encoding. The handler is a task of its own
 * on the clock and the caller waits idly, as over a socket. As there, a request arrives when everybody has done what
 * they can without it: calls that are made side by side at one instant go on in turns, so that a run has the same
 * order both ways. Replies must not be changed: an unchanged encoded reply is decoded only once.
 */
export function clientOf(service: CriService, options: InProcessOptions): CriCalls {
  const watch = createAbortWatch();
  const entries = (Object.keys(criMethods) as CriMethodName[]).map((name) => {
    const method = criMethods[name];
    const handler = (service[name] as AnyHandler).bind(service);
    const decode = rememberLast(method.responseDeserialize as Decoder);
    const serve = method.responseStream ? stream : unary;
    const call = serve(handler, decode, options, watch);
    return [name, call] as const;
  });
  return Object.fromEntries(entries) as unknown as CriCalls;
}

function unary(handler: AnyHandler, decode: Decoder, { clock, codeOf }: InProcessOptions, watch: AbortWatch) {
  return async (request: unknown, options: CallOptions = {}): Promise<unknown> => {
    refuseCancelled(options);
    const call = new InProcessCall(clock, options, watch);
    const work = clock.run(async () => {
      await tick();
      return handler(request, call);
    });
    try {
      return read(await clock.idle(call.orGivenUp(work)), decode);
    } catch (error) {
      throw toCallError(error, codeOf);
    } finally {
      call.release();
    }
  };
}

function stream(
  handler: AnyHandler,
  decode: Decoder,
  { clock, codeOf }: InProcessOptions,
  watch: AbortWatch,
) {
  return async function* (request: unknown, options: CallOptions = {}): AsyncGenerator<unknown> {
    refuseCancelled(options);
    const call = new InProcessCall(clock, options, watch);
    await tick();
    const messages = handler(request, call) as AsyncIterable<unknown>;
    const iterator = messages[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await clock.idle(call.orGivenUp(iterator.next()));
        if (next.done === true) return;
        yield read(next.value, decode);
      }
    } catch (error) {
      throw toCallError(error, codeOf);
    } finally {
      call.release();
      call.cancel();
    }
  };
}

/** A call that is cancelled before it begins reaches no handler, as it would reach no socket. */
function refuseCancelled({ signal }: CallOptions): void {
  if (signal?.aborted) throw cancelled();
}

const cancelled = () => new CallError(CANCELLED, 'Cancelled on client');

/** One call as its handler sees it. The signal is made when somebody asks for it, which few do. */
class InProcessCall implements Call {
  readonly deadline: bigint | undefined;
  /** Lets go of the caller's signal and of the timer. */
  readonly release: () => void;
  #abort: AbortController | undefined;
  #reason: CallError | undefined;
  #giveUp: (reason: CallError) => void = () => {};

  constructor(clock: Clock, { signal, timeout }: CallOptions, watch: AbortWatch) {
    const unwatch = watch(signal, () => this.cancel());
    this.deadline = timeout === undefined ? undefined : clock.now() + millisToNanos(timeout);
    const late = () => this.#end(new CallError(DEADLINE_EXCEEDED, 'context deadline exceeded'));
    const timer = timeout === undefined ? undefined : clock.setTimer(timeout, late);
    this.release = () => {
      timer?.cancel();
      unwatch();
    };
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      if (this.#reason !== undefined) this.#abort.abort(this.#reason);
    }
    return this.#abort.signal;
  }

  cancel(): void {
    this.#end(cancelled());
  }

  /** What the work comes to, unless the caller has given up before. */
  orGivenUp<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#giveUp = reject;
      if (this.#reason !== undefined) reject(this.#reason);
      work.then(resolve, reject);
    });
  }

  #end(reason: CallError): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#abort?.abort(reason);
    this.#giveUp(reason);
  }
}

function toCallError(error: unknown, codeOf: (error: unknown) => number): unknown {
  if (error instanceof CallError) return error;
  return new CallError(codeOf(error), error instanceof Error ? error.message : String(error as CriError));
}

/** A reply that came encoded is decoded, if a client over a wire would take it. */
function read(reply: unknown, decode: Decoder): unknown {
  if (!Buffer.isBuffer(reply)) return reply;
  if (reply.length <= LARGEST_REPLY) return decode(reply);
  const text = `Received message larger than max (${reply.length} vs ${LARGEST_REPLY})`;
  throw new CallError(RESOURCE_EXHAUSTED, text);
}

/** Decodes, unless the bytes are those of the last time. */
export function rememberLast<Message>(decode: (bytes: Buffer) => Message): (bytes: Buffer) => Message {
  let bytes: Buffer | undefined;
  let message: Message;
  return (next) => {
    if (bytes === undefined || !bytes.equals(next)) {
      message = decode(next);
      bytes = next;
    }
    return message;
  };
}
