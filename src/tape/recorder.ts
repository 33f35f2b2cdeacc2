import { isProxy } from 'node:util/types';
import { messageOf } from '../base/input/error-text.js';
import { isUnreached } from '../cri/client/call-error.js';
import type { Call, CallTransport, CriService, ForwardedCall } from '../cri/service.js';
import { Code, type CodeName } from '../cri/status-code.js';
import { type Reply, type StreamWork, type UnaryWork, wrapService } from '../cri/wrap-service.js';
import { Message } from './message.js';
import { createSubjects, type Subjects } from './subjects.js';
import type { Tape } from './tape.js';

export interface RecorderOptions {
  readonly tape: Tape;
  /** The gRPC code of a service's error that the client gets. */
  readonly codeOf: (error: unknown) => number;
}

interface Recording {
  readonly tape: Tape;
  readonly subjects: Subjects;
  readonly codeOf: (error: unknown) => number;
}

/** Records every call of the service while the tape has listeners. */
export function recordService(service: CriService, { tape, codeOf }: RecorderOptions): CriService {
  const recording = createRecording(tape, codeOf);
  return wrapService(service, {
    unary:
      ({ name }, work) =>
      (request, call) =>
        tape.wants('call') ? recordUnary(recording, name, work, request, call) : work(request, call),
    stream:
      ({ name }, work) =>
      (request, call) =>
        tape.wants('call') ? recordStream(recording, name, work, request, call) : work(request, call),
  });
}

export const createRecording = (tape: Tape, codeOf: (error: unknown) => number): Recording => ({
  tape,
  codeOf,
  subjects: createSubjects(),
});

export function recordUnary(
  recording: Recording,
  method: string,
  work: UnaryWork,
  request: object,
  given: Call,
): Reply | Promise<Reply> {
  const { tape, subjects } = recording;
  const room = tape.room();
  if (room !== undefined) return room.then(() => recordUnary(recording, method, work, request, given));
  const call = new RecordedCall(given);
  const asked = requestOf(method, request, given);
  const number = begin(recording, method, asked, given);
  const answered = (reply: Reply): Reply => {
    const message = Message.of(method, 'Response', reply);
    attempt(() => subjects.learn(method, asked, message));
    tape.write({ kind: 'reply', call: number, method, code: 'OK', ...call.trailers, message });
    return reply;
  };
  const failed = (error: unknown): never => {
    tape.write({
      kind: 'reply',
      call: number,
      method,
      ...failure(error, recording, given),
      ...call.trailers,
    });
    throw error;
  };
  let reply: Reply | Promise<Reply>;
  try {
    reply = work(request, call);
  } catch (error) {
    return failed(error);
  }
  // A synchronous reply stays synchronous: recording does not change the order of events.
  return reply instanceof Promise ? reply.then(answered, failed) : answered(reply);
}

export function recordStream(
  recording: Recording,
  method: string,
  work: StreamWork,
  request: object,
  given: Call,
): AsyncIterable<Reply> {
  const { tape, subjects } = recording;
  const call = new RecordedCall(given);
  const number = begin(recording, method, requestOf(method, request, given), given);
  let isOver = false;
  const end = (outcome: Failure) => {
    if (isOver) return;
    isOver = true;
    given.signal.removeEventListener('abort', leave);
    tape.write({ kind: 'end', call: number, method, ...outcome, ...call.trailers });
  };
  // An in-process client that leaves does not ask again, so nothing here would continue.
  const leave = () => end(cancelled(given));
  given.signal.addEventListener('abort', leave);
  const failed = (error: unknown): never => {
    end(failure(error, recording, given));
    throw error;
  };
  const take = async (next: IteratorResult<Reply>): Promise<IteratorResult<Reply>> => {
    if (next.done === true) {
      end({ code: 'OK' });
      return next;
    }
    const message = Message.of(method, 'Response', next.value);
    const subject = attempt(() => subjects.ofMessage(method, message));
    if (!isOver) tape.write({ kind: 'message', call: number, method, ...subject, message });
    await tape.room();
    return next;
  };
  try {
    // The call begins now, even if its client reads later, or never.
    const messages = work(request, call)[Symbol.asyncIterator]();
    const iterator: AsyncIterator<Reply> = {
      next: () => messages.next().then(take, failed),
      return: async () => {
        leave();
        await messages.return?.();
        return { done: true, value: undefined };
      },
    };
    return { [Symbol.asyncIterator]: () => iterator };
  } catch (error) {
    return failed(error);
  }
}

/** Undefined if a message that was passed on unread can't be decoded. */
function attempt<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

function begin({ tape, subjects }: Recording, method: string, message: Message, call: Call): number {
  const number = tape.nextCall();
  const trace = call.transport?.forwarded?.metadata.get('traceparent')[0];
  const { deadline } = call;
  tape.write({
    kind: 'call',
    call: number,
    method,
    connection: call.transport?.connection ?? 0,
    ...attempt(() => subjects.ofRequest(method, message.value())),
    ...(deadline !== undefined && { timeout: Math.max(0, Number(deadline - tape.clock.now())) }),
    ...(typeof trace === 'string' && { trace }),
    message,
  });
  return number;
}

/** With the original bytes, if available. A request that is decoded on first use stays undecoded. */
function requestOf(method: string, request: object, call: Call): Message {
  const bytes = call.transport?.forwarded?.bytesOf(request);
  return isProxy(request) && bytes !== undefined
    ? Message.of(method, 'Request', bytes)
    : Message.of(method, 'Request', request, bytes);
}

interface Failure {
  readonly code: CodeName;
  readonly details?: string;
  readonly by?: 'client' | 'deadline';
  readonly unreached?: true;
}

function failure(error: unknown, { codeOf, tape }: Recording, call: Call): Failure {
  const details = messageOf(error);
  const ended = call.signal.aborted ? cancelled(call) : undefined;
  // The reason of an abort is the client's own error, which the service's error table lacks.
  const code =
    ended !== undefined && error === call.signal.reason
      ? ended.code
      : ((Code[codeOf(error)] ?? 'UNKNOWN') as CodeName);
  const isLate =
    code === 'DEADLINE_EXCEEDED' && call.deadline !== undefined && tape.clock.now() >= call.deadline;
  const by = ended?.by ?? (isLate ? 'deadline' : undefined);
  return {
    code,
    ...(details && { details }),
    ...(by && { by }),
    ...(isUnreached(error) && { unreached: true }),
  };
}

function cancelled({ signal }: Call): { readonly code: CodeName; readonly by: 'client' | 'deadline' } {
  const code = (signal.reason as { readonly code?: unknown } | undefined)?.code;
  return code === Code.DEADLINE_EXCEEDED
    ? { code: 'DEADLINE_EXCEEDED', by: 'deadline' }
    : { code: 'CANCELLED', by: 'client' };
}

class RecordedCall implements Call {
  readonly #call: Call;
  #transport: RecordedTransport | undefined;
  /** For a call made in process. */
  #trailers: Trailers | undefined;

  constructor(call: Call) {
    this.#call = call;
  }

  get signal(): AbortSignal {
    return this.#call.signal;
  }

  get deadline(): bigint | undefined {
    return this.#call.deadline;
  }

  get transport(): CallTransport | undefined {
    const { transport } = this.#call;
    if (transport !== undefined) this.#transport ??= new RecordedTransport(transport);
    return this.#transport;
  }

  addTrailer(name: string, value: string | Buffer): void {
    this.#trailers = withTrailer(this.#trailers, name, value);
    this.#call.addTrailer?.(name, value);
  }

  get trailers(): { readonly trailers?: Trailers } {
    const trailers = this.#transport?.trailers ?? this.#trailers;
    return trailers === undefined ? {} : { trailers };
  }
}

type Trailers = Record<string, string[]>;

const withTrailer = (trailers: Trailers | undefined, name: string, value: string | Buffer): Trailers => {
  const text = Buffer.isBuffer(value) ? value.toString('base64') : value;
  return { ...trailers, [name]: [...(trailers?.[name] ?? []), text] };
};

class RecordedTransport implements CallTransport {
  trailers: Trailers | undefined;
  readonly #wire: CallTransport;

  constructor(wire: CallTransport) {
    this.#wire = wire;
  }

  get connection(): number {
    return this.#wire.connection;
  }

  get peer(): string {
    return this.#wire.peer;
  }

  get forwarded(): ForwardedCall | undefined {
    return this.#wire.forwarded;
  }

  addTrailer(name: string, value: string | Buffer): void {
    this.trailers = withTrailer(this.trailers, name, value);
    this.#wire.addTrailer(name, value);
  }

  reset(http2Code: number): boolean {
    return this.#wire.reset(http2Code);
  }

  disconnect(how: 'reset' | 'goaway'): void {
    this.#wire.disconnect(how);
  }
}
