/** One buffer for data in pieces: a list of one-byte pieces would cost more than a hundred times their bytes. */
export class GrowingBuffer {
  #bytes: Buffer = Buffer.alloc(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  append(piece: Buffer): void {
    const length = this.#length + piece.length;
    if (length > this.#bytes.length) {
      const grown = Buffer.allocUnsafe(this.#length === 0 ? length : Math.max(length, 2 * this.#length));
      this.#bytes.copy(grown, 0, 0, this.#length);
      this.#bytes = grown;
    }
    piece.copy(this.#bytes, this.#length);
    this.#length = length;
  }

  /** Valid until the next `append`. */
  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }
}
