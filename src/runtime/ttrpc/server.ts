import type { Clock, Timer } from '../../base/clock/clock.js';
import { messageOf } from '../../base/input/error-text.js';
import { boundedReader } from '../../cri/bounded-reader.js';
import { Code } from '../../cri/status-code.js';
import {
  encodeWith,
  type MethodDefinition,
  type RequestOf,
  type ResponseOf,
  type ServiceDefinition,
} from './definition.js';
import { TtrpcError } from './error.js';
import { encodeFrame, Flag, type Frame, FrameReader, FrameType } from './frame.js';
import { LARGEST_MESSAGE, LARGEST_UNDER_WAY, MOST_CALLS, MOST_MISTAKES, tooLong } from './limits.js';
import { decodeRequest, encodeResponse, type Request } from './messages.js';
import type { Pipe } from './pipe.js';
import { createQueue } from './queue.js';

export interface ServedCall {
  /** Aborts when the client's timeout passes or the connection is closed. */
  readonly signal: AbortSignal;
  readonly metadata: Request['metadata'];
}

/** A service's methods; streams are async iterables. A TtrpcError is sent as its status, others as UNKNOWN. */
export type Implementation<S extends ServiceDefinition> = {
  readonly [M in keyof S['methods']]: Handler<S['methods'][M]>;
};

type Handler<M> = M extends { readonly requestStream: infer In; readonly responseStream: infer Out }
  ? (
      request: In extends true ? AsyncIterable<RequestOf<M>> : RequestOf<M>,
      call: ServedCall,
    ) => Out extends true ? AsyncIterable<ResponseOf<M>> : ResponseOf<M> | Promise<ResponseOf<M>>
  : never;

export interface Served {
  readonly definition: ServiceDefinition;
  readonly handlers: Readonly<Record<string, (request: never, call: ServedCall) => unknown>>;
}

export const served = <S extends ServiceDefinition>(definition: S, handlers: Implementation<S>): Served => ({
  definition,
  handlers: handlers as Served['handlers'],
});

/** Bytes of concurrent requests, for all connections that share it. */
export interface ByteBudget {
  used: number;
}

/** Serves the requests on a pipe, until it is closed. */
export function serve(
  pipe: Pipe,
  services: readonly Served[],
  clock: Clock,
  onClose = () => {},
  budget: ByteBudget = { used: 0 },
): void {
  const connection = new ServerConnection(pipe, services, clock, budget);
  pipe.listen({
    data: (chunk) => connection.reader.push(chunk),
    closed: () => {
      connection.closed();
      onClose();
    },
  });
}

interface UnderWay {
  readonly gone: AbortController;
  readonly timer: Timer | undefined;
  /** Undefined for a call with one message. */
  readonly incoming: Incoming | undefined;
}

class ServerConnection {
  readonly reader: FrameReader;
  readonly #pipe: Pipe;
  readonly #services: readonly Served[];
  readonly #clock: Clock;
  readonly #budget: ByteBudget;
  readonly #calls = new Map<number, UnderWay>();
  #lastStream = 0;
  #mistakes = 0;

  constructor(pipe: Pipe, services: readonly Served[], clock: Clock, budget: ByteBudget) {
    this.#budget = budget;
    this.#pipe = pipe;
    this.#services = services;
    this.#clock = clock;
    this.reader = new FrameReader({
      frame: (frame) => this.#receive(frame),
      oversized: ({ stream, length }) => this.#refuse(stream, Code.RESOURCE_EXHAUSTED, tooLong(length)),
    });
  }

  closed(): void {
    const all = [...this.#calls.values()];
    this.#calls.clear();
    for (const call of all) giveUp(call, 'the connection is gone');
  }

  #receive(frame: Frame): void {
    const { stream, type } = frame;
    try {
      if (stream % 2 !== 1) throw badRequest('StreamID must be odd for client initiated streams');
      if (type === FrameType.Data) this.#receiveData(frame);
      else if (type === FrameType.Request) this.#begin(frame);
    } catch (error) {
      const { code, message } = statusOf(error);
      this.#refuse(stream, code, message);
    }
  }

  #begin({ stream, flags, payload }: Frame): void {
    if (stream <= this.#lastStream) throw badRequest('StreamID cannot be re-used and must increment');
    this.#lastStream = stream;
    if (this.#calls.size >= MOST_CALLS)
      throw new TtrpcError('status', Code.RESOURCE_EXHAUSTED, `more than ${MOST_CALLS} calls at once`);
    if (this.#budget.used + payload.length > LARGEST_UNDER_WAY)
      throw new TtrpcError(
        'status',
        Code.RESOURCE_EXHAUSTED,
        `requests that are under way have at most ${LARGEST_UNDER_WAY} bytes`,
      );
    const request = decoded('unmarshal request error', () => decodeRequest(payload));
    const asked = this.#find(request);
    const call = this.#track(stream, request, asked.definition);
    // A client that streams may put its first message into the request.
    if (request.payload.length > 0) call.incoming?.push(request.payload);
    if ((flags & Flag.RemoteClosed) !== 0) call.incoming?.end();
    this.#budget.used += payload.length;
    void this.#clock
      .run(() => this.#answer(stream, call, asked))
      .finally(() => {
        this.#budget.used -= payload.length;
      });
  }

  #find(request: Request): Asked {
    const service = this.#services.find(({ definition }) => definition.fullName === request.service);
    if (service === undefined) throw unknown(`service ${request.service}`);
    const methods = Object.entries(service.definition.methods);
    const [name, definition] = methods.find(([, each]) => each.name === request.method) ?? [];
    if (name === undefined || definition === undefined) throw unknown(`method ${request.method}`);
    return { handler: service.handlers[name] as Asked['handler'], definition, request };
  }

  #track(stream: number, { timeout }: Request, definition: MethodDefinition<unknown>): UnderWay {
    const gone = new AbortController();
    const abort = () => gone.abort(new Error('the time is over'));
    const timer = timeout > 0n ? this.#clock.setTimer(Number(timeout) / 1e6, abort) : undefined;
    const call = { gone, timer, incoming: definition.requestStream ? incomingOf(definition) : undefined };
    this.#calls.set(stream, call);
    return call;
  }

  async #answer(stream: number, call: UnderWay, { handler, definition, request }: Asked): Promise<void> {
    try {
      const given =
        call.incoming?.messages ??
        decoded('unmarshal payload error', () =>
          definition.requestType.decode(boundedReader(request.payload)),
        );
      const result = handler(given, { signal: call.gone.signal, metadata: request.metadata });
      if (definition.responseStream)
        await this.#sendAll(stream, definition, result as AsyncIterable<unknown>);
      else this.#respond(stream, encodeWith(definition.responseType, await result));
    } catch (error) {
      const { code, message } = statusOf(error);
      if (this.#finish(stream)) this.#write(stream, code, message);
    }
  }

  async #sendAll(stream: number, definition: MethodDefinition<unknown>, messages: AsyncIterable<unknown>) {
    for await (const message of messages) {
      if (!this.#calls.has(stream)) return;
      const payload = encodeWith(definition.responseType, message);
      this.#pipe.write(encodeFrame({ stream, type: FrameType.Data, flags: 0, payload }));
    }
    if (!this.#finish(stream)) return;
    const flags = Flag.RemoteClosed | Flag.NoData;
    this.#pipe.write(encodeFrame({ stream, type: FrameType.Data, flags, payload: Buffer.alloc(0) }));
  }

  #receiveData({ stream, flags, payload }: Frame): void {
    const incoming = this.#calls.get(stream)?.incoming;
    if (incoming === undefined) throw badRequest('StreamID is no longer active');
    if ((flags & Flag.NoData) === 0) incoming.push(payload);
    if ((flags & Flag.RemoteClosed) !== 0) incoming.end();
  }

  /** Ends a stream that violates the protocol; a peer with too many violations loses its connection. */
  #refuse(stream: number, code: number, message: string): void {
    const call = this.#calls.get(stream);
    if (call !== undefined) giveUp(call, message);
    this.#calls.delete(stream);
    this.#mistakes += 1;
    this.#write(stream, code, message);
    if (this.#mistakes >= MOST_MISTAKES) this.#pipe.close();
  }

  #respond(stream: number, payload: Buffer): void {
    if (!this.#finish(stream)) return;
    if (payload.length > LARGEST_MESSAGE)
      this.#write(stream, Code.RESOURCE_EXHAUSTED, tooLong(payload.length));
    else this.#write(stream, Code.OK, '', payload);
  }

  #write(stream: number, code: number, message: string, payload: Buffer = Buffer.alloc(0)): void {
    const response = encodeResponse({ status: { code, message }, payload });
    this.#pipe.write(encodeFrame({ stream, type: FrameType.Response, flags: 0, payload: response }));
  }

  /** False when the stream has already ended. */
  #finish(stream: number): boolean {
    const call = this.#calls.get(stream);
    call?.timer?.cancel();
    return this.#calls.delete(stream);
  }
}

interface Asked {
  readonly handler: (given: unknown, call: ServedCall) => unknown;
  readonly definition: MethodDefinition<unknown>;
  readonly request: Request;
}

interface Incoming {
  readonly messages: AsyncIterable<unknown>;
  /** Throws TtrpcError for an undecodable message, and when too many wait. */
  push(payload: Buffer): void;
  end(error?: Error): void;
}

function incomingOf({ requestType }: MethodDefinition<unknown>): Incoming {
  const messages = createQueue<unknown>();
  return {
    messages,
    push: (payload) => {
      const message = decoded('data handling error', () => requestType.decode(boundedReader(payload)));
      if (!messages.push(message))
        throw new TtrpcError('status', Code.RESOURCE_EXHAUSTED, 'ttrpc: stream buffer full');
    },
    end: (error) => messages.end(error),
  };
}

const badRequest = (message: string): TtrpcError => new TtrpcError('status', Code.INVALID_ARGUMENT, message);
const unknown = (message: string): TtrpcError => new TtrpcError('status', Code.UNIMPLEMENTED, message);

function decoded<T>(what: string, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    throw badRequest(`${what}: ${(error as Error).message}`);
  }
}

function statusOf(error: unknown): { readonly code: number; readonly message: string } {
  if (error instanceof TtrpcError) return error;
  return { code: Code.UNKNOWN, message: messageOf(error) };
}

function giveUp({ gone, timer, incoming }: UnderWay, why: string): void {
  timer?.cancel();
  gone.abort(new Error(why));
  incoming?.end(new Error(why));
}
