/** What comes before each message: a flag for compression, and four bytes of length (gRPC over HTTP/2). */
export const PREFIX = 5;

/** Writes the prefix of a message of `length` bytes, not compressed; returns the offset behind it. */
export function writePrefix(target: Buffer, offset: number, length: number): number {
  target[offset] = 0;
  return target.writeUInt32BE(length, offset + 1);
}

export function withPrefix(message: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(PREFIX + message.length);
  bytes.set(message, writePrefix(bytes, 0, message.length));
  return bytes;
}

/** Hears of messages. False from either: no more is read. */
export interface MessageListener {
  /** A message has begun, with its flag and its length. */
  begins(flag: number, length: number): boolean;
  message(bytes: Buffer, flag: number): boolean;
}

/** Reads a stream's messages from the pieces it comes in. */
export class MessageReader {
  readonly #listener: MessageListener;
  #pieces: Buffer[] = [];
  #size = 0;
  /** Bytes without which there is nothing to be read. */
  #needed = PREFIX;

  constructor(listener: MessageListener) {
    this.#listener = listener;
  }

  push(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#size += piece.length;
    while (this.#size >= this.#needed && this.#advance());
  }

  /** Whether a message has begun that is not all there. */
  get isWithin(): boolean {
    return this.#size > 0;
  }

  /** Reads the prefix, and the message once all of it is there: its pieces are put together only once. */
  #advance(): boolean {
    const [first = Buffer.alloc(0)] = this.#pieces;
    const bytes = this.#pieces.length === 1 ? first : Buffer.concat(this.#pieces);
    const [flag = 0] = bytes;
    const length = bytes.readUInt32BE(1);
    if (this.#needed === PREFIX && !this.#listener.begins(flag, length)) return false;
    const end = PREFIX + length;
    this.#pieces = [bytes];
    this.#needed = end;
    if (bytes.length < end) return true;
    this.#pieces = bytes.length === end ? [] : [bytes.subarray(end)];
    this.#size = bytes.length - end;
    this.#needed = PREFIX;
    return this.#listener.message(bytes.subarray(PREFIX, end), flag);
  }
}
