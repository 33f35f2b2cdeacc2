import { FileError } from '../file-error.js';
import type { ImageDirectory, ImageNode } from '../image-tree.js';
import type { NewNode, Vnode } from '../vnode.js';
import type { Layer } from './layer.js';
import { FILE_COST, LayerNode, type Owner } from './node.js';

/** Never written to: see #keep. */
const NOTHING: Map<string, Vnode | undefined> = new Map();

export class LayerDirectory extends LayerNode {
  override readonly kind = 'directory';
  readonly #base: ReadonlyMap<string, ImageNode> | undefined;
  /** Nodes that were looked up or created here; undefined hides the image's. */
  #own: Map<string, Vnode | undefined> = NOTHING;

  constructor(layer: Layer, owner: Owner, modifiedAt: bigint, base: ImageDirectory | undefined) {
    super(layer, owner, modifiedAt);
    this.#base = base?.entries;
    this.links = 2 + [...(this.#base?.values() ?? [])].filter(({ kind }) => kind === 'directory').length;
  }

  get size(): number {
    return 4096;
  }

  override lookup(name: string): Vnode | undefined {
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
    // Most directories are only traversed: they share one map until an entry is kept.
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
    this.layer.take(0, 0, FILE_COST);
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
    else if (node.kind !== 'directory') this.layer.take(0, 0, -FILE_COST);
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
    for (const name of this.#base?.keys() ?? []) if (!this.#own.has(name)) return false;
    for (const node of this.#own.values()) if (node !== undefined) return false;
    return true;
  }

  #drop(name: string, node: Vnode): void {
    if (this.#base?.has(name)) this.#keep(name, undefined);
    else this.#own.delete(name);
    if (node.kind === 'directory') this.links--;
    this.touched();
  }
}
