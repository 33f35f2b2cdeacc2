import type { Layer } from './layer.js';
import { LayerNode, type Owner } from './node.js';

export class LayerLink extends LayerNode {
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
