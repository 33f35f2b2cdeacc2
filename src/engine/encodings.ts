/**
 * The wire forms of one object, made once and kept in one allocation: of ten thousand pods most of the memory would
 * otherwise be the same strings three times over. What changes in an object's life is patched or added when it is
 * needed.
 */
export class Encodings {
  readonly #bytes: Buffer;
  readonly #statusAt: number;
  readonly #configAt: number;
  /** The fields of the status that change, as they are now; made when first needed. */
  changing: Buffer | undefined;

  /** `item` is the framed list item, and ends with the state, in one byte. */
  constructor(item: Uint8Array, status: Uint8Array, config: Uint8Array) {
    this.#bytes = Buffer.concat([item, status, config]);
    this.#statusAt = item.length;
    this.#configAt = item.length + status.length;
  }

  /** A reply that lists these objects. */
  static list(records: readonly { readonly encodings: Encodings }[]): Buffer {
    let size = 0;
    for (const { encodings } of records) size += encodings.#statusAt;
    const out = Buffer.allocUnsafeSlow(size);
    let offset = 0;
    for (const { encodings } of records) offset += encodings.#bytes.copy(out, offset, 0, encodings.#statusAt);
    return out;
  }

  /** The fields of the status that never change. */
  get status(): Buffer {
    return this.#bytes.subarray(this.#statusAt, this.#configAt);
  }

  /** The config, without what the status has too. */
  get config(): Buffer {
    return this.#bytes.subarray(this.#configAt);
  }

  set state(state: number) {
    this.#bytes[this.#statusAt - 1] = state;
    this.changing = undefined;
  }
}
