import { forgetOldest } from '../../base/input/forget-oldest.js';
import type { PodEntry } from './pod-entry.js';

/** How many namespaces are remembered, and how many accounts of each. */
const MOST = 500;

/** The pods of all nodes, by uid and by node. */
export class PodEntries {
  readonly #byUid = new Map<string, PodEntry>();
  readonly #byNode = new Map<string, Map<string, PodEntry>>();
  readonly #accounts = new Map<string, Set<string>>();

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

  /** The service accounts of the pods that a namespace has or had: what a Job has made outlives it. */
  accounts(namespace: string): readonly string[] {
    return [...(this.#accounts.get(namespace) ?? [])];
  }

  add(entry: PodEntry): void {
    const { uid, node } = entry;
    this.#byUid.set(uid, entry);
    const pods = this.#byNode.get(node) ?? new Map<string, PodEntry>();
    this.#byNode.set(node, pods.set(uid, entry));
    this.#remember(entry.pod);
  }

  #remember({ metadata, spec }: PodEntry['pod']): void {
    const all = this.#accounts.get(metadata.namespace) ?? new Set<string>();
    this.#accounts.set(metadata.namespace, all.add(spec.serviceAccountName || 'default'));
    forgetOldest(all, MOST);
    forgetOldest(this.#accounts, MOST);
  }

  remove({ uid, node }: PodEntry): void {
    this.#byUid.delete(uid);
    this.#byNode.get(node)?.delete(uid);
  }
}
