import { FileError } from '../file-error.js';
import type { FileStat } from '../file-stat.js';
import { type Attributes, BareNode, type FileKind, type NewNode } from '../vnode.js';
import type { Layer } from './layer.js';

export const FILE_COST = 1024;

export interface Owner {
  /** Permission bits. */
  readonly mode: number;
  readonly owner: number;
  /** Gid; the uid's number by default. */
  readonly group?: number;
  /** Created in this layer, so that it counts for it. */
  readonly isNew?: boolean;
}

/** For a new node; links have all permissions (symlink(7)). */
export const ownerOf = (what: NewNode): Owner => ({
  mode: what.kind === 'symlink' ? 0o777 : what.mode,
  owner: what.uid,
  group: what.gid,
  isNew: true,
});

export abstract class LayerNode extends BareNode {
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

  /** Call it when its last name was removed. */
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
