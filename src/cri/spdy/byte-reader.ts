import { GrowingBuffer } from '../../base/input/growing-buffer.js';
import { SpdyError } from './frames.js';

/** Reads a source of chunks in the pieces that a parser needs, and asks for no chunk before it needs one. */
export class ByteReader {
  readonly #source: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterator<Buffer>) {
    this.#source = source;
  }

  /** Exactly `length` bytes; undefined at the end of the source, which must not be inside them. */
  async exactly(length: number): Promise<Buffer | undefined> {
    if (this.#rest.length < length) {
      const whole = new GrowingBuffer();
      whole.append(this.#rest);
      while (whole.length < length) {
        const next = await this.#source.next();
        if (!next.done) whole.append(next.value);
        else if (whole.length === 0) return undefined;
        else throw new SpdyError(`connection ended inside a frame: ${whole.length} of ${length} bytes`);
      }
      this.#rest = whole.bytes();
    }
    return this.#take(length);
  }

  /** At least one and at most `limit` bytes, as they come; undefined at the end of the source. */
  async some(limit: number): Promise<Buffer | undefined> {
    while (this.#rest.length === 0) {
      const next = await this.#source.next();
      if (next.done) return undefined;
      this.#rest = next.value;
    }
    return this.#take(Math.min(limit, this.#rest.length));
  }

  #take(length: number): Buffer {
    const taken = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return taken;
  }
}
