import type { ShownPod } from '../../kubelet/hosts/services.js';
import type { PodSource, StatusSink } from '../../kubelet/index.js';
import type { Pod } from '../../kubelet/kubernetes/pod.js';
import { type ApiPod, statusFromApi } from '../objects/pod-from-api.js';
import { MIRROR, type StaticPod } from './mirror-object.js';
import { PodEntries } from './pod-entries.js';
import { newEntry, type PodEntry, seePod, seeStatus } from './pod-entry.js';
import type { StaticPods } from './static-pods.js';
import type { StatusSender } from './status-sender.js';

/** The pods of all nodes of this process: one watch in, and for each node a source and a sink. */
export interface PodHub {
  listed(pods: readonly ApiPod[], node?: string): void;
  changed(pod: ApiPod): void;
  removed(pod: ApiPod): void;
  setStatic(node: string, pods: readonly StaticPod[]): void;
  /** Pod source of a node; delivers earlier pods first. */
  source(node: string): PodSource;
  readonly sink: StatusSink;
  pods(): readonly Pod[];
  shown(namespace: string): readonly ShownPod[];
  /** Service accounts of a namespace's current and earlier pods on these nodes. */
  accounts(namespace: string): readonly string[];
  readonly size: number;
}

export interface PodHubOptions {
  readonly nodes: ReadonlySet<string>;
  readonly sender: StatusSender;
  readonly statics: StaticPods;
  /** Called for an invalid pod. */
  readonly refused: (pod: ApiPod, error: unknown) => void;
}

/** Passes each pod of the watch to its node's kubelet, and the kubelets' statuses to the API server. */
export function createPodHub(options: PodHubOptions): PodHub {
  const { nodes, sender, statics } = options;
  const entries = new PodEntries();
  const { receive, receives, synced, deliver } = createDelivery(entries, statics);
  const { take, drop } = createIntake(entries, receives, options);
  return {
    listed: (objects, node) => {
      const there = new Set(objects.map(({ metadata }) => metadata.uid));
      for (const entry of entries.of(node)) if (!there.has(entry.uid)) drop(entry);
      for (const object of objects) take(object);
      statics.listed(there, node);
      for (const each of node === undefined ? nodes : [node]) {
        synced(each);
        deliver(each);
      }
    },
    changed: (object) => {
      const node = take(object);
      if (node !== undefined) deliver(node);
    },
    removed: (object) => {
      if (isMirror(object)) statics.removed(object);
      const entry = entries.get(object.metadata.uid);
      if (entry === undefined) return;
      drop(entry);
      deliver(entry.node);
    },
    setStatic: (node, pods) => {
      statics.set(node, pods);
      deliver(node);
    },
    source: (node) => ({
      start: (receiver) => {
        const end = receive(node, receiver);
        statics.restarted(node);
        // A restarted kubelet continues from the API's current state.
        for (const entry of entries.of(node)) {
          const status = statusFromApi(JSON.parse(entry.api));
          entry.pod = { ...entry.pod, status };
        }
        deliver(node);
        return end;
      },
    }),
    sink: sinkOf(entries, sender, statics),
    pods: () => entries.of(undefined).map(({ pod }) => pod),
    shown: (namespace) =>
      entries
        .of(undefined)
        .flatMap((entry) =>
          entry.namespace === namespace && entry.wanted !== undefined
            ? [{ pod: entry.pod, status: entry.wanted.status }]
            : [],
        ),
    accounts: (namespace) => entries.accounts(namespace),
    get size() {
      return entries.size;
    },
  };
}

function createDelivery(entries: PodEntries, statics: StaticPods) {
  const receivers = new Map<string, (pods: readonly Pod[]) => void>();
  const listed = new Set<string>();
  return {
    receive: (node: string, receiver: (pods: readonly Pod[]) => void): (() => void) => {
      receivers.set(node, receiver);
      return () => {
        receivers.delete(node);
      };
    },
    receives: (node: string): boolean => receivers.has(node),
    synced: (node: string): void => {
      listed.add(node);
    },
    deliver: (node: string): void => {
      const own = statics.of(node);
      // Static pods start without the API. Before the first list no other pods exist that the kubelet could stop.
      if (!listed.has(node) && own.length === 0) return;
      receivers.get(node)?.([...own, ...entries.of(node).map(({ pod }) => pod)]);
    },
  };
}

function createIntake(
  entries: PodEntries,
  receives: (node: string) => boolean,
  { nodes, sender, statics, refused }: PodHubOptions,
) {
  /** A kubelet that is down leaves the statuses to others, such as the node lifecycle controller. */
  const update = (entry: PodEntry, object: ApiPod): boolean => {
    if (seeStatus(entry, object) && receives(entry.node)) sender.send(entry);
    return seePod(entry, object);
  };
  /** Stores an object. Returns the node whose kubelet must know. */
  const take = (object: ApiPod): string | undefined => {
    try {
      const node = object.spec.nodeName;
      if (node === undefined || !nodes.has(node)) return undefined;
      if (isMirror(object)) {
        statics.seen(object, node);
        return undefined;
      }
      const entry = entries.get(object.metadata.uid);
      if (entry !== undefined) return update(entry, object) ? node : undefined;
      entries.add(newEntry(object, node));
      return node;
    } catch (error) {
      refused(object, error);
      return undefined;
    }
  };
  const drop = (entry: PodEntry): void => {
    entry.gone = true;
    entries.remove(entry);
  };
  return { take, drop };
}

const sinkOf = (entries: PodEntries, sender: StatusSender, statics: StaticPods): StatusSink => ({
  status: (pod, status) => {
    const entry = entries.get(pod.metadata.uid);
    if (entry === undefined) return statics.status(pod, status);
    entry.wanted = { pod, status };
    sender.send(entry);
  },
  ending: statics.ending,
  finished: (pod) => {
    const entry = entries.get(pod.metadata.uid);
    if (entry === undefined) return statics.finished(pod);
    entry.finished = true;
    sender.send(entry);
  },
});

const isMirror = ({ metadata }: ApiPod): boolean => metadata.annotations?.[MIRROR] !== undefined;
