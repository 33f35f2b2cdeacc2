import type { Account } from '../../../base/input/account.js';
import { FileError } from '../file-error.js';
import type { ImageDirectory, ImageNode } from '../image-tree.js';
import type { NewNode, Vnode } from '../vnode.js';
import { LayerDirectory } from './directory.js';
import { LayerFile } from './file.js';
import { FILE_COST, LayerNode, type Owner, ownerOf } from './node.js';

/** 2024-01-01T00:00:00Z, the build time of all simulated images. */
const BUILT_AT = 1_704_067_200_000_000_000n;

/** Total bytes of all files, and number of files, links and directories. */
export interface LayerLimits {
  readonly bytes: number;
  readonly files: number;
}

export class Layer {
  readonly now: () => bigint;
  readonly #limits: LayerLimits;
  readonly #account: Account;
  readonly #device: (name: string) => Vnode;
  readonly #used = { bytes: 0, files: 0 };
  #lastInode = 1;

  /** `account` pays for the content; `device` makes the node for a device of the image. */
  constructor(
    now: () => bigint,
    limits: LayerLimits,
    account: Account,
    device: (name: string) => Vnode = noDevice,
  ) {
    this.now = now;
    this.#limits = limits;
    this.#account = account;
    this.#device = device;
  }

  get used(): { readonly bytes: number; readonly files: number } {
    return this.#used;
  }

  /** Accounts for changes of content and files, and their memory; ENOSPC beyond the limits. */
  take(bytes: number, files: number, memory = files * FILE_COST): void {
    const { bytes: usedBytes, files: usedFiles } = this.#used;
    if (bytes > 0 && usedBytes + bytes > this.#limits.bytes) throw new FileError('ENOSPC');
    if (files > 0 && usedFiles + files > this.#limits.files) throw new FileError('ENOSPC');
    if (!this.#account.take(memory)) throw new FileError('ENOSPC');
    this.#used.bytes += bytes;
    this.#used.files += files;
  }

  nextInode(): number {
    return ++this.#lastInode;
  }

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
    this.take(0, 1, memoryOf(what));
    const now = this.now();
    if (what.kind === 'symlink') return new LayerLink(this, ownerOf(what), now, what.target);
    const Node = what.kind === 'directory' ? LayerDirectory : LayerFile;
    return new Node(this, ownerOf(what), now, undefined);
  }
}

const memoryOf = (what: NewNode): number => FILE_COST + (what.kind === 'symlink' ? what.target.length : 0);

const noDevice = (): never => {
  throw new FileError('ENXIO');
};

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

  override release(): void {
    super.release();
    this.layer.take(0, 0, -this.#target.length);
  }

  override async readlink(): Promise<string> {
    return this.#target;
  }
}
