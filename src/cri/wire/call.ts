import { status as Code } from '@grpc/grpc-js';
import type { Channel } from './channel.js';
import type { Http2Connection, OutgoingStream, StreamListener } from './connection.js';
import type { Fields } from './hpack.js';
import { statusOfHttp, statusOfTrailers, type WireStatus } from './status.js';

/** Told what comes back on a call. */
export interface CallListener {
  message(bytes: Buffer): void;
  /** Once, at last. */
  end(status: WireStatus): void;
}

/** A call under way, in its client's hand. */
export interface OutgoingCall {
  /** Whether the server has to wait before it sends more than a window. */
  hold(isHeld: boolean): void;
  /** Gives the call up; the listener hears nothing more. */
  cancel(): void;
}

/** What a call sends. */
export interface CallRequest {
  /** The encoded header block of an attempt, asked for at the beginning of each. */
  readonly fields: () => Buffer;
  /** The message with its prefix. */
  readonly body: Buffer;
  /** Of a message that comes back, in bytes. */
  readonly largest: number;
}

/** What comes before each message: a flag for compression, and four bytes of length (gRPC over HTTP/2). */
const PREFIX = 5;

/** A message as gRPC sends it: uncompressed, its length before it. */
export function withPrefix(message: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(PREFIX + message.length);
  bytes[0] = 0;
  bytes.writeUInt32BE(message.length, 1);
  bytes.set(message, PREFIX);
  return bytes;
}

/**
 * One call with a single request. Waits for a connection but not for one that can't be had; what the server has
 * certainly not looked at is sent a second time, over another connection (grpc-go: transparent retry).
 */
export function startCall(
  channel: Pick<Channel, 'open' | 'connection'>,
  request: CallRequest,
  listener: CallListener,
): OutgoingCall {
  const call = new Call(request, listener, () => send());
  const send = () => {
    const { open } = channel;
    if (open !== undefined) call.send(open);
    else channel.connection().then(call.send, (status: WireStatus) => call.finish(status));
  };
  send();
  return call;
}

class Call implements StreamListener, OutgoingCall {
  readonly #request: CallRequest;
  readonly #listener: CallListener;
  readonly #retry: () => void;
  #stream: OutgoingStream | undefined;
  #status: WireStatus | undefined;
  #isOver = false;
  #isSecond = false;
  #fields: Buffer;
  #isHeld = false;
  #untaken = 0;
  /** What came of the next message, with its prefix. */
  #pieces: Buffer[] = [];
  #size = 0;
  /** Bytes without which there is nothing to be read. */
  #needed = PREFIX;

  constructor(request: CallRequest, listener: CallListener, retry: () => void) {
    this.#request = request;
    this.#fields = request.fields();
    this.#listener = listener;
    this.#retry = retry;
  }

  readonly send = (connection: Http2Connection): void => {
    if (!this.#isOver) this.#stream = connection.open(this.#fields, this.#request.body, this);
  };

  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    if (!isHeld) this.#take(0);
  }

  #take(bytes: number): void {
    this.#untaken += bytes;
    if (this.#isHeld || this.#isOver) return;
    this.#stream?.taken(this.#untaken);
    this.#untaken = 0;
  }

  cancel(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stream?.cancel();
  }

  finish(status: WireStatus): void {
    if (this.#isOver) return;
    this.cancel();
    this.#listener.end(status);
  }

  headers(fields: Fields): void {
    const http = fields.get(':status');
    if (http?.startsWith('1')) return;
    this.#status = statusOfTrailers(fields) ?? (http === undefined ? undefined : statusOfHttp(http));
  }

  data(bytes: Buffer): void {
    if (this.#status !== undefined) return;
    this.#pieces.push(bytes);
    this.#size += bytes.length;
    while (!this.#isOver && this.#size >= this.#needed) this.#advance();
    this.#take(bytes.length);
  }

  /** Reads the prefix, and the message once all of it is there: its pieces are put together only once. */
  #advance(): void {
    const [first = Buffer.alloc(0)] = this.#pieces;
    const bytes = this.#pieces.length === 1 ? first : Buffer.concat(this.#pieces);
    const length = bytes.readUInt32BE(1);
    const problem = this.#problemOf(bytes[0], length);
    if (problem !== undefined) {
      this.finish(problem);
      return;
    }
    const end = PREFIX + length;
    this.#pieces = [bytes];
    this.#needed = end;
    if (bytes.length < end) return;
    this.#pieces = bytes.length === end ? [] : [bytes.subarray(end)];
    this.#size = bytes.length - end;
    this.#needed = PREFIX;
    this.#listener.message(bytes.subarray(PREFIX, end));
  }

  #problemOf(flag: number | undefined, length: number): WireStatus | undefined {
    const { largest } = this.#request;
    if (flag !== 0)
      return { code: Code.INTERNAL, details: 'a compressed message came, which was not asked for' };
    if (length <= largest) return undefined;
    return {
      code: Code.RESOURCE_EXHAUSTED,
      details: `Received message larger than max (${length} vs ${largest})`,
    };
  }

  end(): void {
    const missing = {
      code: Code.INTERNAL,
      details: 'server closed the stream without sending trailers',
    };
    this.finish(this.#status ?? missing);
  }

  cut(status: WireStatus, isUnprocessed: boolean): void {
    if (isUnprocessed && !this.#isSecond && !this.#isOver) {
      this.#isSecond = true;
      this.#fields = this.#request.fields();
      this.#retry();
    } else this.finish(status);
  }
}
