import { unframe } from './protobuf-splice.js';

/**
 * The wire forms of one object, encoded once: with ten thousand pods, most of the memory would otherwise hold the same
 * strings three times. A status repeats them under other field numbers; fields that change in an object's life are kept
 * apart, or added on demand.
 *
 * The bytes are stored as a string, one per character: a small buffer needs as much memory again for its management.
 */
export class Encodings {
  readonly #bytes: string;
  readonly #statusAt: number;
  readonly #configAt: number;
  #state = 0;
  /** The changing fields of the status with their current values; encoded on demand. */
  changing: Buffer | undefined;

  /**
   * `item` is the framed list item, and ends with the state in one byte; `status` has the status's additional fields,
   * and `config` the config's fields that are in neither.
   */
  constructor(item: Uint8Array, status: Uint8Array, config: Uint8Array) {
    this.#bytes = Buffer.concat([item, status, config]).toString('latin1');
    this.#statusAt = item.length;
    this.#configAt = item.length + status.length;
  }

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

  get item(): Buffer {
    const framed = Buffer.allocUnsafe(this.#statusAt);
    this.#writeItem(framed, 0);
    return unframe(framed);
  }

  /** The status's constant fields that the item lacks. */
  get status(): Buffer {
    return Buffer.from(this.#bytes.slice(this.#statusAt, this.#configAt), 'latin1');
  }

  /** The config's fields that item and status lack. */
  get config(): Buffer {
    return Buffer.from(this.#bytes.slice(this.#configAt), 'latin1');
  }

  set state(state: number) {
    this.#state = state;
    this.changing = undefined;
  }

  #writeItem(out: Buffer, offset: number): number {
    const length = out.write(this.#bytes, offset, this.#statusAt, 'latin1');
    out[offset + length - 1] = this.#state;
    return length;
  }
}
