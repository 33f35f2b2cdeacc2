import { forgetOldest } from '../../base/input/forget-oldest.js';
import type { PodEntry } from './pod-entry.js';

const MOST = 500;

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

  of(node: string | undefined): PodEntry[] {
    return [...((node === undefined ? this.#byUid : this.#byNode.get(node))?.values() ?? [])];
  }

  /** Service accounts of a namespace's current and earlier pods, because a Job's objects outlive it. */
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
