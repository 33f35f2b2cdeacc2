import { Duplex } from 'node:stream';

type Written = (error?: Error | null) => void;

/** Received bytes that may wait for the reader of one channel before the whole connection stops reading. */
const READ_BUFFER = 256 * 1024;
const WRITE_BUFFER = 64 * 1024;

export interface ChannelLink {
  send(data: Buffer, written: Written): void;
  /** The reader accepts data again, or has gone. */
  resume(): void;
}

/** One numbered channel of a WebSocket connection. It ends with the connection, or by a half close (v5). */
export class Channel extends Duplex {
  readonly #link: ChannelLink;

  constructor(link: ChannelLink) {
    super({ readableHighWaterMark: READ_BUFFER, writableHighWaterMark: WRITE_BUFFER });
    this.#link = link;
    this.on('error', () => {});
  }

  /** False when the connection should stop reading until `resume`. */
  receive(data: Buffer): boolean {
    if (this.destroyed || this.readableEnded) return true;
    return this.push(data);
  }

  receiveEnd(): void {
    if (!this.destroyed && !this.readableEnded) this.push(null);
  }

  override _read(): void {
    this.#link.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Written): void {
    this.#link.send(chunk, done);
  }

  override _writev(chunks: { chunk: Buffer }[], done: Written): void {
    this.#link.send(Buffer.concat(chunks.map(({ chunk }) => chunk)), done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#link.resume();
    done(error);
  }
}
