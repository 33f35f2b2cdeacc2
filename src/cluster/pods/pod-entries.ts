import type { PodEntry } from './pod-entry.js';

/** The pods of all nodes, by uid and by node. */
export class PodEntries {
  readonly #byUid = new Map<string, PodEntry>();
  readonly #byNode = new Map<string, Map<string, PodEntry>>();

  get size(): number {
    return this.#byUid.size;
  }

  get(uid: string): PodEntry | undefined {
    return this.#byUid.get(uid);
  }

  /** The pods of a node, or of all. */
  of(node: string | undefined): PodEntry[] {
    return [...((node === undefined ? this.#byUid : this.#byNode.get(node))?.values() ?? [])];
  }

  add(entry: PodEntry): void {
    const { uid, node } = entry;
    this.#byUid.set(uid, entry);
    const pods = this.#byNode.get(node) ?? new Map<string, PodEntry>();
    this.#byNode.set(node, pods.set(uid, entry));
  }

  remove({ uid, node }: PodEntry): void {
    this.#byUid.delete(uid);
    this.#byNode.get(node)?.delete(uid);
  }
}
