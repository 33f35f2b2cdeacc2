import type { ImageFile } from '../image-tree.js';
import type { RawFile } from '../vnode.js';
import type { Layer } from './layer.js';
import { LayerNode, type Owner } from './node.js';

const EMPTY = Buffer.alloc(0);

/** A file whose content is the image's until it is written to. */
export class LayerFile extends LayerNode implements RawFile {
  override readonly kind = 'file';
  #data: Buffer;
  #size: number;
  /** Bytes that count for the layer: none as long as the content is the image's. */
  #charged = 0;
  #isShared: boolean;

  constructor(layer: Layer, owner: Owner, modifiedAt: bigint, base: ImageFile | undefined) {
    super(layer, owner, modifiedAt);
    this.#data = base?.data ?? EMPTY;
    this.#size = this.#data.length;
    this.#isShared = true;
  }

  get size(): number {
    return this.#size;
  }

  override async open(): Promise<RawFile> {
    return this;
  }

  async read(position: number, length: number): Promise<Buffer> {
    const end = Math.min(this.#size, position + length);
    const part = this.#data.subarray(Math.min(position, end), end);
    return this.#isShared ? part : Buffer.from(part);
  }

  async write(chunk: Buffer, position: number | 'end'): Promise<number> {
    const start = position === 'end' ? this.#size : position;
    const end = start + chunk.length;
    if (chunk.length === 0) return start;
    this.#reserve(Math.max(end, this.#size));
    chunk.copy(this.#data, start);
    this.#size = Math.max(end, this.#size);
    this.touched();
    return end;
  }

  async close(): Promise<void> {}

  override release(): void {
    super.release();
    this.layer.take(-this.#charged, 0);
    this.#charged = 0;
  }

  protected override resize(size: number): void {
    this.#reserve(size);
    if (size < this.#size) this.#data.fill(0, size, this.#size);
    this.#size = size;
    this.touched();
  }

  /** Makes the content its own, with a capacity of `size` bytes; doubles it, so that appending stays cheap. */
  #reserve(size: number): void {
    // A file that nobody can find any more costs nothing; it goes when it is closed.
    if (this.links > 0) {
      this.layer.take(size - this.#charged, 0);
      this.#charged = size;
    }
    if (!this.#isShared && size <= this.#data.length) return;
    const room = Buffer.alloc(this.#size === 0 ? size : Math.max(size, 2 * this.#size));
    this.#data.copy(room, 0, 0, Math.min(this.#size, size));
    this.#data = room;
    this.#isShared = false;
  }
}
