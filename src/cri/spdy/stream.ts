import { Duplex } from 'node:stream';
import type { Written } from './frame-writer.js';
import type { Headers } from './frames.js';
import type { Unread } from './unread.js';

/** Received bytes that may wait for the reader of one stream before the whole connection stops reading. */
const READ_BUFFER = 256 * 1024;
/** Bytes that may wait to be sent before a writer must wait. */
const WRITE_BUFFER = 64 * 1024;

export interface StreamLink {
  send(data: Buffer, fin: boolean, written: Written): void;
  /** The stream has ended; `reset` if its ends have not both been closed properly. */
  release(reset: boolean): void;
  /** The unread bytes of all streams of the connection. */
  readonly unread: Unread;
}

/** One SPDY stream. Ending it sends FIN; destroying it sends RST_STREAM. A listener for 'error' is optional. */
export class SpdyStream extends Duplex {
  readonly id: number;
  readonly headers: Headers;
  readonly #link: StreamLink;
  #receivedFin = false;
  #sentFin = false;
  /** Counted bytes that wait for the reader. */
  #held = 0;
  #resume: (() => void) | undefined;

  constructor(id: number, headers: Headers, link: StreamLink) {
    super({ readableHighWaterMark: READ_BUFFER, writableHighWaterMark: WRITE_BUFFER });
    this.id = id;
    this.headers = headers;
    this.#link = link;
    this.on('error', () => {});
  }

  /** Takes the peer's data. If it returns a promise, read no more from the connection until it resolves. */
  receive(data: Buffer): Promise<void> | undefined {
    // The reader has gone: drops data, because the peer may not know that yet.
    if (this.#receivedFin || this.destroyed || this.readableEnded) return undefined;
    if (data.length === 0) return undefined;
    const hasRoom = this.push(data);
    this.#count();
    if (hasRoom) return this.#link.unread.room();
    return new Promise((resolve) => {
      this.#resume = resolve;
    });
  }

  override read(size?: number): Buffer | null {
    const chunk = super.read(size) as Buffer | null;
    this.#count();
    return chunk;
  }

  /** A reader may take data before it is held, and more while it processes some. */
  #count(): void {
    const held = this.destroyed ? 0 : this.readableLength;
    this.#link.unread.add(held - this.#held);
    this.#held = held;
  }

  receiveFin(): void {
    if (this.#receivedFin || this.destroyed) return;
    this.#receivedFin = true;
    this.push(null);
  }

  /** The peer reset the stream, or the connection is gone. */
  receiveReset(): void {
    this.#receivedFin = true;
    this.#sentFin = true;
    this.destroy();
  }

  override _read(): void {
    this.#resume?.();
    this.#resume = undefined;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Written): void {
    this.#link.send(chunk, false, done);
  }

  override _writev(chunks: { chunk: Buffer }[], done: Written): void {
    this.#link.send(Buffer.concat(chunks.map(({ chunk }) => chunk)), false, done);
  }

  override _final(done: Written): void {
    this.#sentFin = true;
    this.#link.send(Buffer.alloc(0), true, done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this._read();
    this.#count();
    this.#link.release(!(this.#sentFin && this.#receivedFin));
    done(error);
  }
}
