import type { ServerUnaryCall, ServerWritableStream } from '@grpc/grpc-js';
import { Metadata } from '@grpc/grpc-js';
import { type Clock, millisToNanos } from '../../base/clock/clock.js';
import { CriError } from '../../cri/errors.js';
import { FAULT_TRAILER } from '../../cri/fault-trailer.js';
import { newFieldsOfCall } from '../../cri/own-proto/own-proto.js';
import type { Call, CallTransport, ForwardedCall } from '../../cri/service.js';
import { Code } from '../../cri/status-code.js';
import type { SubjectNames } from '../../cri/subject.js';
import type { CallLog, MethodStats } from './call-log.js';
import type { Connection, Connections } from './connections.js';
import { postponeDeadline, wireStreamOf } from './grpc-js-internals.js';

/** A grpc-js call in a handler; messages are bytes. */
export type GrpcCall = ServerUnaryCall<Buffer, Buffer> | ServerWritableStream<Buffer, Buffer>;

const NO_FAULTS: readonly string[] = [];

export interface CallContext {
  readonly clock: Clock;
  /** Measures the clients' deadlines, which are in real time on any clock. */
  readonly machineClock: Clock;
  readonly log: CallLog;
  readonly connections: Connections;
}

/**
 * One call as the service and the wire see it. Parts that most calls don't need (the signal, the trailers, the
 * connection's details) are created on demand: this is the hot path.
 */
export class ServerCall implements Call, CallTransport, ForwardedCall {
  /** The request that the service received for these bytes. */
  request: object | undefined;
  subject: SubjectNames | undefined;
  image: string | undefined;
  /** Of a unary call. */
  reply: object | undefined;
  messages = 0;
  readonly #grpc: GrpcCall;
  readonly #context: CallContext;
  readonly #stats: MethodStats;
  readonly #connection: Connection;
  readonly #startedAt: bigint;
  readonly #begun: number;
  #abort: AbortController | undefined;
  #trailers: Metadata | undefined;
  #faults: string[] | undefined;
  #isFinished = false;

  constructor(grpc: GrpcCall, stats: MethodStats, context: CallContext) {
    this.#grpc = grpc;
    this.#context = context;
    this.#stats = stats;
    this.#startedAt = context.clock.now();
    this.#begun = context.clock.elapsed();
    this.#connection = context.connections.of(grpc);
    stats.started++;
    const timeLeft = this.#timeLeft;
    if (timeLeft !== undefined) postponeDeadline(grpc, timeLeft);
  }

  get transport(): CallTransport {
    return this;
  }

  get forwarded(): ForwardedCall {
    return this;
  }

  get encodedRequest(): Buffer {
    return this.#grpc.request;
  }

  bytesOf(request: object): Buffer | undefined {
    return request === this.request ? this.#grpc.request : undefined;
  }

  get realDeadline(): number | undefined {
    const deadline = Number(this.#grpc.getDeadline());
    return Number.isFinite(deadline) ? deadline : undefined;
  }

  get metadata(): Metadata {
    return this.#grpc.metadata;
  }

  get connection(): number {
    return this.#connection.number;
  }

  get peer(): string {
    return this.#connection.peer;
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      const abort = new AbortController();
      const cancel = () => {
        if (!this.#isFinished) abort.abort(this.#cancellation());
      };
      this.#abort = abort;
      if (this.#grpc.cancelled) cancel();
      else this.#grpc.once('cancelled', cancel);
    }
    return this.#abort.signal;
  }

  get deadline(): bigint | undefined {
    const left = this.#timeLeft;
    return left === undefined ? undefined : this.#context.clock.now() + millisToNanos(left);
  }

  /** Milliseconds until the client's deadline; undefined without one. */
  get #timeLeft(): number | undefined {
    const deadline = this.realDeadline;
    return deadline && deadline - Number(this.#context.machineClock.now() / 1000n) / 1000;
  }

  get isCancelled(): boolean {
    return this.#grpc.cancelled;
  }

  /** Whether the client's deadline has passed. The client may not have cancelled yet. */
  get isExpired(): boolean {
    const left = this.#timeLeft;
    return left !== undefined && left <= 0;
  }

  /** Ends without a reply: the client gives up first (see `postponeDeadline`). */
  leaveToClient(): void {
    this.#grpc.once('cancelled', () => this.finish(Code.DEADLINE_EXCEEDED));
  }

  /** Sent with the status; undefined if there are none. */
  get trailers(): Metadata | undefined {
    return this.#trailers;
  }

  addTrailer(name: string, value: string | Buffer): void {
    if (name === FAULT_TRAILER && !this.#noteFault(String(value))) return;
    this.#trailers ??= new Metadata();
    this.#trailers.add(name, value);
  }

  /** False for a rule that is listed already, such as one that acts on each message of a stream. */
  #noteFault(rule: string): boolean {
    this.#faults ??= [];
    if (this.#faults.includes(rule)) return false;
    this.#faults.push(rule);
    return true;
  }

  reset(http2Code: number): boolean {
    const stream = wireStreamOf(this.#grpc);
    stream?.close(http2Code);
    return stream !== undefined;
  }

  disconnect(how: 'reset' | 'goaway'): void {
    this.#context.connections.disconnect(this.connection, how);
  }

  /** Adds the call to the history, once. A disconnected client sees no status, so the call counts as cancelled. */
  finish(code: number, details = ''): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    const { subject, image, peer, connection, messages } = this;
    const ended = this.isCancelled ? this.#cancellation().code : code;
    const startedAt = this.#startedAt;
    const faults = this.#faults ?? NO_FAULTS;
    const newFields = newFieldsOfCall(this.#stats.method, this.request, this.reply);
    this.#context.log.finish(
      this.#stats,
      { peer, connection, subject, image, code: ended, details, startedAt, messages, faults, newFields },
      this.#begun,
    );
  }

  #cancellation(): CriError & { readonly code: number } {
    const isLate = this.isExpired;
    const error = isLate
      ? new CriError('timeout', "the client's deadline has passed")
      : new CriError('cancelled', 'the client cancelled the call');
    return Object.assign(error, { code: isLate ? Code.DEADLINE_EXCEEDED : Code.CANCELLED });
  }
}
