import { FileError } from '../file-error.js';
import type { ImageFile } from '../image-tree.js';
import type { RawFile } from '../vnode.js';
import type { Layer } from './layer.js';
import { LayerNode, type Owner } from './node.js';

const EMPTY = Buffer.alloc(0);

export class LayerFile extends LayerNode implements RawFile {
  override readonly kind = 'file';
  #data: Buffer;
  #size: number;
  /** Bytes that count for the layer: none while the content is the image's. */
  #charged = 0;
  #isShared: boolean;
  /** A file without a name is removed when it is no longer open. */
  #opened = 0;

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
    this.#opened++;
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

  async close(): Promise<void> {
    this.#opened--;
    this.#forgetUnused();
  }

  override release(): void {
    super.release();
    this.#forgetUnused();
  }

  get #isGone(): boolean {
    return this.links === 0 && this.#opened === 0;
  }

  #forgetUnused(): void {
    if (this.#isGone) this.#hold(0);
  }

  protected override resize(size: number): void {
    if (size < this.#capacity / 2) this.#hold(size);
    else this.#reserve(size);
    if (size < this.#size) this.#data.fill(0, size, Math.min(this.#size, this.#data.length));
    this.#size = size;
    this.touched();
  }

  /** Capacity of its copied content. */
  get #capacity(): number {
    return this.#isShared ? 0 : this.#data.length;
  }

  /** Copies the content, with a capacity of `size` bytes; doubles it, so that appending stays cheap. */
  #reserve(size: number): void {
    // The file was removed between lookup and open.
    if (this.#isGone) throw new FileError('ENOENT');
    if (!this.#isShared && size <= this.#data.length) this.#charge(size, 0);
    else this.#hold(size, this.#size === 0 ? size : Math.max(size, 2 * this.#size));
  }

  /** Moves the content to memory of `capacity` bytes, of which `size` count for the layer. */
  #hold(size: number, capacity = size): void {
    this.#charge(size, capacity - this.#capacity);
    const room = Buffer.alloc(capacity);
    this.#data.copy(room, 0, 0, Math.min(this.#size, size));
    this.#data = room;
    this.#isShared = false;
  }

  #charge(size: number, memory: number): void {
    this.layer.take(size - this.#charged, 0, memory);
    this.#charged = size;
  }
}
