import { unframe } from './protobuf-splice.js';

/**
 * The wire forms of one object, made once: of ten thousand pods most of the memory would otherwise be the same strings
 * three times over. What a status says too, it says under other numbers; what changes in an object's life is kept
 * apart, or added when it is needed.
 *
 * The bytes are kept as a string, one a character: a buffer as small as these would take as much again to manage.
 */
export class Encodings {
  readonly #bytes: string;
  readonly #statusAt: number;
  readonly #configAt: number;
  #state = 0;
  /** The fields of the status that change, as they are now; made when first needed. */
  changing: Buffer | undefined;

  /**
   * `item` is the framed list item, and ends with the state, in one byte; `status` is what a status says beyond it, and
   * `config` what the config says beyond both.
   */
  constructor(item: Uint8Array, status: Uint8Array, config: Uint8Array) {
    this.#bytes = Buffer.concat([item, status, config]).toString('latin1');
    this.#statusAt = item.length;
    this.#configAt = item.length + status.length;
  }

  /** A reply that lists these objects. */
  static list(records: readonly { readonly encodings: Encodings }[]): Buffer {
    let size = 0;
    for (const { encodings } of records) size += encodings.#statusAt;
    const out = Buffer.allocUnsafeSlow(size);
    let offset = 0;
    for (const { encodings } of records) offset += encodings.#writeItem(out, offset);
    return out;
  }

  /** Bytes. */
  get size(): number {
    return this.#bytes.length;
  }

  /** The list item. */
  get item(): Buffer {
    const framed = Buffer.allocUnsafe(this.#statusAt);
    this.#writeItem(framed, 0);
    return unframe(framed);
  }

  /** The fields of the status that never change, without those of the item. */
  get status(): Buffer {
    return Buffer.from(this.#bytes.slice(this.#statusAt, this.#configAt), 'latin1');
  }

  /** The config, without what item and status have too. */
  get config(): Buffer {
    return Buffer.from(this.#bytes.slice(this.#configAt), 'latin1');
  }

  set state(state: number) {
    this.#state = state;
    this.changing = undefined;
  }

  /** Writes the framed list item; returns its length. */
  #writeItem(out: Buffer, offset: number): number {
    const length = out.write(this.#bytes, offset, this.#statusAt, 'latin1');
    out[offset + length - 1] = this.#state;
    return length;
  }
}
