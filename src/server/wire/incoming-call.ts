import { Metadata } from '@grpc/grpc-js';
import { type Clock, NANOS_PER_MILLI, type Timer } from '../../clock/clock.js';
import { encodeFields, type Fields } from '../../cri/wire/hpack.js';
import { MessageReader, PREFIX, writePrefix } from '../../cri/wire/messages.js';
import type { Connection } from '../connections.js';
import { type CallStatus, codeOf } from '../status.js';
import { decompress } from './compression.js';
import { statusFields } from './status-fields.js';
import type { ServerStream, StreamListener } from './stream.js';

/** Hears of a call's messages as they come; for RPCs whose clients send several. */
export interface RequestListener {
  message(bytes: Buffer): void;
  end(): void;
}

/** One RPC: begun once its single request is there, or with its headers when clients may send several. */
export type Rpc =
  | { readonly kind: 'single'; readonly begin: (call: IncomingCall) => void }
  | { readonly kind: 'several'; readonly begin: (call: IncomingCall) => RequestListener };

export interface CallOptions {
  readonly rpc: Rpc;
  readonly connection: Connection;
  /** Measures deadlines, which are real time. */
  readonly clock: Clock;
  /** Of a request, in bytes. */
  readonly largest: number;
}

const NOTHING: Buffer = Buffer.alloc(0);
const HEAD = encodeFields([
  [':status', '200'],
  ['content-type', 'application/grpc'],
]);
const OK: CallStatus = { code: 0, details: '' };
const OK_FIELDS = encodeFields(statusFields(OK));

/** One call of gRPC over HTTP/2, on the server. Its request is read, its reply and status are written here. */
export class IncomingCall implements StreamListener {
  /** The message of a call with a single one, once it has begun. */
  request: Buffer = NOTHING;
  /** When the client gives up, in Unix milliseconds of real time; undefined without a deadline. */
  readonly realDeadline: number | undefined;
  readonly #stream: ServerStream;
  readonly #fields: Fields;
  readonly #options: CallOptions;
  readonly #listener: RequestListener;
  readonly #messages = new MessageReader({
    begins: (flag, length) => this.#begins(flag, length),
    message: (bytes, flag) => this.#message(bytes, flag),
  });
  readonly #late: Timer | undefined;
  #cancelled: (() => void)[] | undefined;
  #isCancelled = false;
  #hasHead = false;
  #isEnded = false;

  constructor(stream: ServerStream, fields: Fields, options: CallOptions) {
    this.#stream = stream;
    this.#fields = fields;
    this.#options = options;
    const timeout = fields.get('grpc-timeout');
    if (timeout !== undefined) {
      const { clock } = options;
      const left = timeoutOf(timeout);
      this.realDeadline = Number(clock.now() / NANOS_PER_MILLI) + left;
      if (Number.isNaN(left)) this.fail('INTERNAL', `malformed grpc-timeout: ${timeout}`);
      else this.#late = clock.setTimer(left, () => this.#expire());
    }
    const { rpc } = options;
    this.#listener = rpc.kind === 'several' ? rpc.begin(this) : new SingleRequest(this, rpc.begin);
  }

  get connection(): Connection {
    return this.#options.connection;
  }

  /** What came with the request, besides what belongs to HTTP/2 and to gRPC itself. */
  get metadata(): Metadata {
    const own = [...this.#fields].filter(([name]) => !name.startsWith(':') && !PROTOCOL_FIELDS.has(name));
    return Metadata.fromHttp2Headers(Object.fromEntries(own));
  }

  /** The first value of a field; undefined without one. */
  field(name: string): string | undefined {
    return this.#fields.get(name);
  }

  /** Whether the client has gone or given up, or its deadline has passed. */
  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  /** Calls back if it is cancelled before it has ended. */
  onCancel(callback: () => void): void {
    this.#cancelled ??= [];
    this.#cancelled.push(callback);
  }

  /** Sends a message. False if the client does not take it yet; `onDrained` tells when it has. */
  write(message: Buffer): boolean {
    if (this.#isEnded) return true;
    return this.#stream.send({ head: this.#head(), data: dataOf(message) });
  }

  onDrained(callback: () => void): void {
    this.#stream.onDrained(callback);
  }

  /** Sends the only message, and with it that all is well. */
  reply(message: Buffer, trailers?: Metadata): void {
    if (!this.#close()) return;
    this.#stream.send({ head: this.#head(), data: dataOf(message), tail: tailOf(OK, trailers) });
  }

  /** Ends the call; without a message before, headers and status go together. */
  end(status: CallStatus = OK, trailers?: Metadata): void {
    if (!this.#close()) return;
    const tail = tailOf(status, trailers);
    this.#stream.send({ tail: this.#hasHead ? tail : Buffer.concat([HEAD, tail]) });
  }

  /** RST_STREAM with an HTTP/2 error code; no status is sent. False if it was over. */
  reset(http2Code: number): boolean {
    if (!this.#close()) return false;
    this.#cancel();
    this.#stream.reset(http2Code);
    return true;
  }

  data(bytes: Buffer): void {
    if (!this.#isEnded) this.#messages.push(bytes);
  }

  /** The client has said everything. */
  requestEnds(): void {
    if (this.#isEnded) return;
    if (this.#messages.isWithin) this.fail('INTERNAL', 'the request ends within a message');
    else this.#guard(() => this.#listener.end());
  }

  cut(): void {
    if (this.#close()) this.#cancel();
  }

  fail(code: Parameters<typeof codeOf>[0], details: string): void {
    this.end({ code: codeOf(code), details });
  }

  /** False if it was closed before. */
  #close(): boolean {
    if (this.#isEnded) return false;
    this.#isEnded = true;
    this.#late?.cancel();
    return true;
  }

  #cancel(): void {
    this.#isCancelled = true;
    for (const callback of this.#cancelled?.splice(0) ?? []) callback();
  }

  #expire(): void {
    if (this.#isEnded) return;
    this.#isCancelled = true;
    this.fail('DEADLINE_EXCEEDED', 'Deadline exceeded');
    this.#cancel();
  }

  #head(): Buffer | undefined {
    if (this.#hasHead) return undefined;
    this.#hasHead = true;
    return HEAD;
  }

  #begins(flag: number, length: number): boolean {
    const { largest } = this.#options;
    if (flag > 1) this.fail('INTERNAL', `a message with the flag ${flag}`);
    else if (length > largest)
      this.fail('RESOURCE_EXHAUSTED', `Received message larger than max (${length} vs ${largest})`);
    return !this.#isEnded;
  }

  #message(bytes: Buffer, flag: number): boolean {
    const plain = flag === 0 ? bytes : this.#decompressed(bytes);
    if (plain !== undefined) this.#guard(() => this.#listener.message(plain));
    return !this.#isEnded;
  }

  /** What can't be decoded ends the call, not the connection. */
  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.fail('INTERNAL', error instanceof Error ? error.message : String(error));
    }
  }

  #decompressed(bytes: Buffer): Buffer | undefined {
    const plain = decompress(this.#fields.get('grpc-encoding'), bytes, this.#options.largest);
    if (Buffer.isBuffer(plain)) return plain;
    this.end(plain);
    return undefined;
  }
}

/** Begins a call once its request has come, of which there has to be exactly one. */
class SingleRequest implements RequestListener {
  readonly #call: IncomingCall;
  readonly #begin: (call: IncomingCall) => void;
  #hasCome = false;

  constructor(call: IncomingCall, begin: (call: IncomingCall) => void) {
    this.#call = call;
    this.#begin = begin;
  }

  message(bytes: Buffer): void {
    if (this.#hasCome) this.#call.fail('UNIMPLEMENTED', 'a second request message for an RPC that takes one');
    this.#hasCome = true;
    this.#call.request = bytes;
  }

  end(): void {
    if (this.#hasCome) this.#begin(this.#call);
    else this.#call.fail('UNIMPLEMENTED', 'no request message for an RPC that takes one');
  }
}

/** What is no metadata of the caller's. */
const PROTOCOL_FIELDS: ReadonlySet<string> = new Set([
  'te',
  'content-type',
  'grpc-timeout',
  'grpc-encoding',
  'grpc-accept-encoding',
]);

function dataOf(message: Buffer): Buffer[] {
  const prefix = Buffer.allocUnsafe(PREFIX);
  writePrefix(prefix, 0, message.length);
  return message.length === 0 ? [prefix] : [prefix, message];
}

const tailOf = (status: CallStatus, trailers: Metadata | undefined): Buffer =>
  status === OK && trailers === undefined ? OK_FIELDS : encodeFields(statusFields(status, trailers));

const UNITS: Readonly<Record<string, number>> = { H: 3.6e6, M: 6e4, S: 1e3, m: 1, u: 1e-3, n: 1e-6 };

/** gRPC's `grpc-timeout` in ms; NaN for what is none. */
function timeoutOf(text: string): number {
  const [, digits, unit = ''] = /^(\d{1,8})([HMSmun])$/.exec(text) ?? [];
  return Number(digits) * (UNITS[unit] ?? Number.NaN);
}
