import { FileError, type FileStat } from '../process/file-system.js';
import type { ImageDirectory, ImageFile, ImageNode } from './image-tree.js';
import { type Attributes, BareNode, type FileKind, type NewNode, type RawFile, type Vnode } from './vnode.js';

/** 2024-01-01T00:00:00Z, when all simulated images were built. */
const BUILT_AT = 1_704_067_200_000_000_000n;

export interface LayerLimits {
  readonly bytes: number;
  readonly files: number;
}

/** What all nodes of one layer share: the time, the numbers of its files, and what it holds. */
export class Layer {
  readonly now: () => bigint;
  readonly #limits: LayerLimits;
  readonly #device: (name: string) => Vnode;
  readonly #used = { bytes: 0, files: 0 };
  #lastInode = 1;

  /** `device` makes what stands for a device of the image. */
  constructor(now: () => bigint, limits: LayerLimits, device: (name: string) => Vnode = noDevice) {
    this.now = now;
    this.#limits = limits;
    this.#device = device;
  }

  get used(): { readonly bytes: number; readonly files: number } {
    return this.#used;
  }

  /** Accounts for content and files that come or go; ENOSPC beyond the limits. */
  take(bytes: number, files: number): void {
    const { bytes: usedBytes, files: usedFiles } = this.#used;
    if (bytes > 0 && usedBytes + bytes > this.#limits.bytes) throw new FileError('ENOSPC');
    if (files > 0 && usedFiles + files > this.#limits.files) throw new FileError('ENOSPC');
    this.#used.bytes += bytes;
    this.#used.files += files;
  }

  nextInode(): number {
    return ++this.#lastInode;
  }

  /** A view of image content that changes only for this layer; nodes are made as they are looked up. */
  open(base: ImageDirectory): Vnode {
    return new LayerDirectory(this, base, BUILT_AT, base);
  }

  adopt(base: ImageNode): Vnode {
    if (base.kind === 'device') return this.#device(base.device);
    if (base.kind === 'directory') return this.open(base);
    if (base.kind === 'file') return new LayerFile(this, base, BUILT_AT, base);
    return new LayerLink(this, base, BUILT_AT, base.target);
  }

  create(what: NewNode): LayerNode {
    this.take(0, 1);
    const now = this.now();
    if (what.kind === 'symlink') return new LayerLink(this, ownerOf(what), now, what.target);
    const Node = what.kind === 'directory' ? LayerDirectory : LayerFile;
    return new Node(this, ownerOf(what), now, undefined);
  }
}

const noDevice = (): never => {
  throw new FileError('ENXIO');
};

interface Owner {
  readonly mode: number;
  readonly owner: number;
  readonly group?: number;
  /** Made in this layer, so that it counts for it. */
  readonly isNew?: boolean;
}

const ownerOf = (what: NewNode): Owner => ({
  mode: what.kind === 'symlink' ? 0o777 : what.mode,
  owner: what.uid,
  group: what.gid,
  isNew: true,
});

abstract class LayerNode extends BareNode {
  abstract override readonly kind: FileKind;
  readonly layer: Layer;
  readonly inode: number;
  links = 1;
  readonly #isNew: boolean;
  #mode: number;
  #uid: number;
  #gid: number;
  #modifiedAt: bigint;

  constructor(layer: Layer, { mode, owner, group, isNew = false }: Owner, modifiedAt: bigint) {
    super();
    this.layer = layer;
    this.inode = layer.nextInode();
    this.#isNew = isNew;
    this.#mode = mode;
    this.#uid = owner;
    this.#gid = group ?? owner;
    this.#modifiedAt = modifiedAt;
  }

  abstract get size(): number;

  touched(): void {
    this.#modifiedAt = this.layer.now();
  }

  /** Its last name is gone. */
  release(): void {
    if (this.#isNew) this.layer.take(0, -1);
  }

  override async stat(): Promise<FileStat> {
    return {
      kind: this.kind,
      mode: this.#mode,
      uid: this.#uid,
      gid: this.#gid,
      size: this.size,
      modifiedAt: this.#modifiedAt,
      inode: this.inode,
      links: this.links,
    };
  }

  override async change({ mode, uid, gid, modifiedAt, size }: Attributes): Promise<void> {
    if (size !== undefined) this.resize(size);
    if (mode !== undefined) this.#mode = mode & 0o7777;
    if (uid !== undefined) this.#uid = uid;
    if (gid !== undefined) this.#gid = gid;
    if (modifiedAt !== undefined) this.#modifiedAt = modifiedAt;
  }

  protected resize(_size: number): void {
    throw new FileError('EINVAL');
  }
}

class LayerLink extends LayerNode {
  override readonly kind = 'symlink';
  readonly #target: string;

  constructor(layer: Layer, owner: Owner, modifiedAt: bigint, target: string) {
    super(layer, owner, modifiedAt);
    this.#target = target;
  }

  get size(): number {
    return Buffer.byteLength(this.#target);
  }

  override async readlink(): Promise<string> {
    return this.#target;
  }
}

const EMPTY = Buffer.alloc(0);

class LayerFile extends LayerNode implements RawFile {
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

  /** Makes the content its own, with room for `size` bytes; doubles, so that appending stays cheap. */
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

/** Never written to: see #keep. */
const NOTHING: Map<string, Vnode | undefined> = new Map();

class LayerDirectory extends LayerNode {
  override readonly kind = 'directory';
  readonly #base: ReadonlyMap<string, ImageNode> | undefined;
  /** What was looked up or made here; undefined hides what the image has. */
  #own: Map<string, Vnode | undefined> = NOTHING;

  constructor(layer: Layer, owner: Owner, modifiedAt: bigint, base: ImageDirectory | undefined) {
    super(layer, owner, modifiedAt);
    this.#base = base?.entries;
    this.links = 2 + [...(this.#base?.values() ?? [])].filter(({ kind }) => kind === 'directory').length;
  }

  get size(): number {
    return 4096;
  }

  override async lookup(name: string): Promise<Vnode | undefined> {
    return this.#find(name);
  }

  override async list(): Promise<string[]> {
    const inherited = [...(this.#base?.keys() ?? [])].filter((name) => !this.#own.has(name));
    const own = [...this.#own].filter(([, node]) => node !== undefined).map(([name]) => name);
    return [...inherited, ...own];
  }

  override async make(name: string, what: NewNode): Promise<Vnode> {
    if (this.#find(name)) throw new FileError('EEXIST');
    const node = this.layer.create(what);
    this.#set(name, node);
    return node;
  }

  #keep(name: string, node: Vnode | undefined): void {
    // Most directories are only passed through: they share one map until something is kept.
    if (this.#own === NOTHING) this.#own = new Map();
    this.#own.set(name, node);
  }

  #set(name: string, node: Vnode): void {
    this.#keep(name, node);
    if (node.kind === 'directory') this.links++;
    this.touched();
  }

  override async link(name: string, node: Vnode): Promise<void> {
    if (this.#find(name)) throw new FileError('EEXIST');
    if (node instanceof LayerNode) node.links++;
    this.#set(name, node);
  }

  override async remove(name: string): Promise<void> {
    const node = this.#find(name);
    if (node === undefined) throw new FileError('ENOENT');
    if (node instanceof LayerDirectory && !node.#isEmpty()) throw new FileError('ENOTEMPTY');
    this.#drop(name, node);
    if (!(node instanceof LayerNode)) return;
    node.links -= node.kind === 'directory' ? 2 : 1;
    if (node.links === 0) node.release();
  }

  override async rename(name: string, to: Vnode, newName: string): Promise<void> {
    const node = this.#find(name);
    if (node === undefined || !(to instanceof LayerDirectory)) throw new FileError('ENOENT');
    if (to.#find(newName) !== undefined) await to.remove(newName);
    this.#drop(name, node);
    to.#set(newName, node);
  }

  #find(name: string): Vnode | undefined {
    if (this.#own.has(name)) return this.#own.get(name);
    const base = this.#base?.get(name);
    if (base === undefined) return undefined;
    const node = this.layer.adopt(base);
    this.#keep(name, node);
    return node;
  }

  #isEmpty(): boolean {
    const hasInherited = [...(this.#base?.keys() ?? [])].some((name) => !this.#own.has(name));
    return !hasInherited && ![...this.#own.values()].some((node) => node !== undefined);
  }

  #drop(name: string, node: Vnode): void {
    if (this.#base?.has(name)) this.#keep(name, undefined);
    else this.#own.delete(name);
    if (node.kind === 'directory') this.links--;
    this.touched();
  }
}
