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
import { encodeFrame, type Frame, FrameReader, FrameType } from './frame.js';
import { LARGEST_MESSAGE, LARGEST_UNDER_WAY, MOST_CALLS, MOST_MISTAKES, tooLong } from './limits.js';
import { decodeRequest, encodeResponse, type Request } from './messages.js';
import type { Pipe } from './pipe.js';

export interface ServedCall {
  /** Aborts when the client's timeout passes or the connection is closed. */
  readonly signal: AbortSignal;
}

/** One function for each method. A TtrpcError is sent as its status, any other error as UNKNOWN. */
export type Implementation<S extends ServiceDefinition> = {
  readonly [M in keyof S['methods']]: (
    request: RequestOf<S['methods'][M]>,
    call: ServedCall,
  ) => ResponseOf<S['methods'][M]> | Promise<ResponseOf<S['methods'][M]>>;
};

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
      // No service of NRI has streams.
      if (type === FrameType.Data) throw badRequest('StreamID is no longer active');
      else if (type === FrameType.Request) this.#begin(frame);
    } catch (error) {
      const { code, message } = statusOf(error);
      this.#refuse(stream, code, message);
    }
  }

  #begin({ stream, payload }: Frame): void {
    if (stream <= this.#lastStream) throw badRequest('StreamID cannot be re-used and must increment');
    this.#lastStream = stream;
    if (this.#calls.size >= MOST_CALLS)
      throw new TtrpcError('status', Code.RESOURCE_EXHAUSTED, `more than ${MOST_CALLS} calls at once`);
    if (this.#budget.used + payload.length > LARGEST_UNDER_WAY)
      throw new TtrpcError(
        'status',
        Code.RESOURCE_EXHAUSTED,
        `requests in progress have at most ${LARGEST_UNDER_WAY} bytes`,
      );
    const request = decoded('unmarshal request error', () => decodeRequest(payload));
    const asked = this.#find(request);
    const call = this.#track(stream, request);
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

  #track(stream: number, { timeout }: Request): UnderWay {
    const gone = new AbortController();
    const abort = () => gone.abort(new Error('the time is over'));
    const timer = timeout > 0n ? this.#clock.setTimer(Number(timeout) / 1e6, abort) : undefined;
    const call = { gone, timer };
    this.#calls.set(stream, call);
    return call;
  }

  async #answer(stream: number, call: UnderWay, { handler, definition, request }: Asked): Promise<void> {
    try {
      const given = decoded('unmarshal payload error', () =>
        definition.requestType.decode(boundedReader(request.payload)),
      );
      const result = await handler(given, { signal: call.gone.signal });
      this.#respond(stream, encodeWith(definition.responseType, result));
    } catch (error) {
      const { code, message } = statusOf(error);
      if (this.#finish(stream)) this.#write(stream, code, message);
    }
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

function giveUp({ gone, timer }: UnderWay, why: string): void {
  timer?.cancel();
  gone.abort(new Error(why));
}
