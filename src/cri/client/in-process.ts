import { type Clock, millisToNanos } from '../../base/clock/clock.js';
import { tick } from '../../base/clock/turn.js';
import { messageOf } from '../../base/input/error-text.js';
import { StatusError } from '../errors.js';
import { LARGEST_MESSAGE } from '../limits.js';
import { allMethods, type CriMethod } from '../methods.js';
import type { Call, CriService } from '../service.js';
import { Code } from '../status-code.js';
import { type Reply, type StreamWork, streamWork, type UnaryWork, unaryWork } from '../wrap-service.js';
import { type AbortWatch, createAbortWatch } from './abort-watch.js';
import { CallError } from './call-error.js';
import { type CallOptions, type CriClient, createClient } from './client.js';
import { LATE, tooLarge } from './go-status.js';
import { rememberLatest } from './latest-replies.js';

export interface InProcessOptions {
  readonly clock: Clock;
  /** gRPC code of a service's error, as on the server, so that both ways fail alike. */
  readonly codeOf: (error: unknown) => number;
}

/**
 * A client that calls a service directly, without a socket and without encoding. The handler is a separate task on the
 * clock and the caller waits idly, as over a socket. As there, a request arrives when all other tasks have done what
 * they can without it: concurrent calls at one instant take turns, so that a run has the same order in process and over
 * a socket. Replies must not be changed: an unchanged encoded reply is decoded only once.
 */
export function clientOf(service: CriService, options: InProcessOptions): CriClient {
  const endpoints = new Map(allMethods.map((method) => [method, endpointOf(service, method, options)]));
  const endpoint = (method: CriMethod) => endpoints.get(method) as Endpoint;
  const watch = createAbortWatch();
  const begin = (limits: CallOptions): InProcessCall => {
    // A call that is cancelled before it begins never reaches a handler, as it would never reach a socket.
    if (limits.signal?.aborted) throw cancelled();
    return new InProcessCall(options.clock, limits, watch);
  };
  return createClient({
    unary: async (method, request, limits) => unary(endpoint(method), request, begin(limits)),
    stream: (method, request, limits) => stream(endpoint(method), request, () => begin(limits)),
  });
}

interface Endpoint {
  readonly clock: Clock;
  readonly unary: UnaryWork;
  readonly stream: StreamWork;
  readonly read: (reply: Reply) => object;
  readonly failure: (error: unknown) => CallError;
}

function endpointOf(service: CriService, method: CriMethod, { clock, codeOf }: InProcessOptions): Endpoint {
  const decode = rememberLatest(method.decodeReply);
  return {
    clock,
    unary: unaryWork(service, method),
    stream: streamWork(service, method),
    read: (reply) => read(reply, decode),
    failure: (error) => toCallError(error, codeOf),
  };
}

async function unary(endpoint: Endpoint, request: object, call: InProcessCall): Promise<object> {
  const { clock } = endpoint;
  const reply = clock.run(async () => {
    await tick();
    return endpoint.unary(request, call);
  });
  try {
    return endpoint.read(await clock.idle(call.orGivenUp(reply)));
  } catch (error) {
    throw endpoint.failure(error);
  } finally {
    call.release();
  }
}

async function* stream(
  endpoint: Endpoint,
  request: object,
  begin: () => InProcessCall,
): AsyncGenerator<object> {
  const call = begin();
  await tick();
  const iterator = endpoint.stream(request, call)[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await endpoint.clock.idle(call.orGivenUp(iterator.next()));
      if (next.done === true) return;
      yield endpoint.read(next.value);
    }
  } catch (error) {
    throw endpoint.failure(error);
  } finally {
    call.release();
    call.cancel();
  }
}

const cancelled = () => new CallError(Code.CANCELLED, 'Cancelled on client');

/** One call as its handler sees it. The signal is created on demand, which is rare. */
class InProcessCall implements Call {
  readonly deadline: bigint | undefined;
  readonly release: () => void;
  #abort: AbortController | undefined;
  #reason: CallError | undefined;
  #giveUp: (reason: CallError) => void = () => {};

  constructor(clock: Clock, { signal, timeout }: CallOptions, watch: AbortWatch) {
    const unwatch = watch(signal, () => this.cancel());
    this.deadline = timeout === undefined ? undefined : clock.now() + millisToNanos(timeout);
    const late = () => this.#end(new CallError(LATE.code, LATE.details));
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

  /** Settles with the work, unless the caller gives up first. */
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

function toCallError(error: unknown, codeOf: (error: unknown) => number): CallError {
  if (error instanceof CallError) return error;
  const unreached = error instanceof StatusError ? error.unreached : undefined;
  const details = messageOf(error);
  return new CallError(codeOf(error), details, { unreached });
}

/** Decodes an encoded reply, if a client over a socket would accept its size. */
function read(reply: Reply, decode: (bytes: Buffer) => object): object {
  if (!Buffer.isBuffer(reply)) return reply;
  if (reply.length <= LARGEST_MESSAGE) return decode(reply);
  throw new CallError(Code.RESOURCE_EXHAUSTED, tooLarge(reply.length));
}
