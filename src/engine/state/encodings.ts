import { unframe } from './wire.js';

/**
 * The wire forms of one object, made once and kept in one allocation: of ten thousand pods most of the memory would
 * otherwise be the same strings three times over. What a status says too, it says under other numbers; what changes in
 * an object's life is patched, or added when it is needed.
 */
export class Encodings {
  readonly #bytes: Buffer;
  readonly #statusAt: number;
  readonly #configAt: number;
  /** The fields of the status that change, as they are now; made when first needed. */
  changing: Buffer | undefined;

  /**
   * `item` is the framed list item, and ends with the state, in one byte; `status` is what a status says beyond it, and
   * `config` what the config says beyond both.
   */
  constructor(item: Uint8Array, status: Uint8Array, config: Uint8Array) {
    this.#statusAt = item.length;
    this.#configAt = item.length + status.length;
    // An allocation of its own: a piece of the pool that Node shares out would keep all of the pool's 8 KiB.
    this.#bytes = Buffer.allocUnsafeSlow(this.#configAt + config.length);
    this.#bytes.set(item);
    this.#bytes.set(status, this.#statusAt);
    this.#bytes.set(config, this.#configAt);
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

  /** The list item. */
  get item(): Buffer {
    return unframe(this.#bytes.subarray(0, this.#statusAt));
  }

  /** The fields of the status that never change, without those of the item. */
  get status(): Buffer {
    return this.#bytes.subarray(this.#statusAt, this.#configAt);
  }

  /** The config, without what item and status have too. */
  get config(): Buffer {
    return this.#bytes.subarray(this.#configAt);
  }

  set state(state: number) {
    this.#bytes[this.#statusAt - 1] = state;
    this.changing = undefined;
  }
}
