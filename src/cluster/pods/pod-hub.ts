import type { PodSource, StatusSink } from '../../kubelet/pod-ports.js';
import type { Pod } from '../../kubernetes/pod.js';
import { type ApiPod, podFromApi, statusFromApi } from '../objects/pod-from-api.js';
import { MIRROR, type StaticPod } from './mirror-object.js';
import type { PodEntry } from './pod-entry.js';
import type { StaticPods } from './static-pods.js';
import type { StatusSender } from './status-sender.js';

/** The pods of all nodes of this process: one watch in, and for each node a source and a sink. */
export interface PodHub {
  /** All pods that there are, on one node or on all. */
  listed(pods: readonly ApiPod[], node?: string): void;
  changed(pod: ApiPod): void;
  removed(pod: ApiPod): void;
  /** These are the static pods of a node from now on. */
  setStatic(node: string, pods: readonly StaticPod[]): void;
  /** A node of this process. Pods that were bound to it before are delivered. */
  source(node: string): PodSource;
  readonly sink: StatusSink;
  /** The object of a pod, as far as it is kept. */
  entry(uid: string): PodEntry | undefined;
  /** How many pods the nodes have. */
  readonly size: number;
}

/** What the hub needs. */
export interface PodHubOptions {
  /** The nodes of this process. */
  readonly nodes: ReadonlySet<string>;
  readonly sender: StatusSender;
  readonly statics: StaticPods;
  /** Called with a pod that can't be read. */
  readonly refused: (pod: ApiPod, error: unknown) => void;
}

/** Gives each pod of the watch to the kubelet of its node, and what the kubelets say to the API server. */
export function createPodHub({ nodes, sender, statics, refused }: PodHubOptions): PodHub {
  const entries = new Map<string, PodEntry>();
  const byNode = new Map<string, Map<string, PodEntry>>();
  const receivers = new Map<string, (pods: readonly Pod[]) => void>();
  /** Nodes whose pods have been listed. */
  const synced = new Set<string>();

  const deliver = (node: string): void => {
    const own = statics.of(node);
    // Static pods start without the API. A process that has not read it yet has no other pods that could be stopped.
    if (!synced.has(node) && own.length === 0) return;
    const bound = [...(byNode.get(node)?.values() ?? [])].map(({ pod }) => pod);
    receivers.get(node)?.([...own, ...bound]);
  };

  const add = (object: ApiPod, node: string): true => {
    const { name, namespace = 'default', uid } = object.metadata;
    const entry: PodEntry = {
      uid,
      name,
      namespace,
      node,
      pod: podFromApi(object),
      made: partOf(object),
      api: JSON.stringify(object.status ?? {}),
      version: BigInt(object.metadata.resourceVersion),
      deleting: object.metadata.deletionTimestamp !== undefined,
      wanted: undefined,
      finished: false,
      gone: false,
    };
    entries.set(uid, entry);
    const pods = byNode.get(node) ?? new Map<string, PodEntry>();
    byNode.set(node, pods.set(uid, entry));
    return true;
  };

  /** Whether the kubelet has to know. */
  const update = (entry: PodEntry, object: ApiPod): boolean => {
    const version = BigInt(object.metadata.resourceVersion);
    // The answer to a patch may come before the watch reports it.
    if (version > entry.version) {
      entry.version = version;
      entry.api = JSON.stringify(object.status ?? {});
      entry.deleting = object.metadata.deletionTimestamp !== undefined;
      if (!sender.isCurrent(entry)) sender.send(entry);
    }
    const made = partOf(object);
    if (made === entry.made) return false;
    entry.made = made;
    entry.pod = podFromApi(object);
    return true;
  };

  const take = (object: ApiPod): string | undefined => {
    try {
      const node = object.spec.nodeName;
      if (node === undefined || !nodes.has(node)) return undefined;
      if (isMirror(object)) {
        statics.seen(object, node);
        return undefined;
      }
      const entry = entries.get(object.metadata.uid);
      return (entry === undefined ? add(object, node) : update(entry, object)) ? node : undefined;
    } catch (error) {
      refused(object, error);
      return undefined;
    }
  };

  const drop = (uid: string): string | undefined => {
    const entry = entries.get(uid);
    if (entry === undefined) return undefined;
    entry.gone = true;
    entries.delete(uid);
    byNode.get(entry.node)?.delete(uid);
    return entry.node;
  };

  return {
    listed: (objects, node) => {
      const there = new Set(objects.map(({ metadata }) => metadata.uid));
      const before = node === undefined ? entries : (byNode.get(node) ?? new Map<string, PodEntry>());
      for (const uid of [...before.keys()]) if (!there.has(uid)) drop(uid);
      for (const object of objects) take(object);
      statics.listed(there, node);
      for (const each of node === undefined ? nodes : [node]) {
        synced.add(each);
        deliver(each);
      }
    },
    changed: (object) => {
      const node = take(object);
      if (node !== undefined) deliver(node);
    },
    removed: (object) => {
      if (isMirror(object)) statics.removed(object);
      const node = drop(object.metadata.uid);
      if (node !== undefined) deliver(node);
    },
    setStatic: (node, pods) => {
      statics.set(node, pods);
      deliver(node);
    },
    source: (node) => ({
      start: (receiver) => {
        receivers.set(node, receiver);
        statics.restarted(node);
        // A kubelet that was restarted continues from what the API shows now.
        for (const entry of byNode.get(node)?.values() ?? []) {
          const status = statusFromApi(JSON.parse(entry.api));
          entry.pod = { ...entry.pod, status };
        }
        deliver(node);
        return () => {
          receivers.delete(node);
        };
      },
    }),
    sink: {
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
    },
    entry: (uid) => entries.get(uid),
    get size() {
      return entries.size;
    },
  };
}

const isMirror = ({ metadata }: ApiPod): boolean => metadata.annotations?.[MIRROR] !== undefined;

/** What of a pod concerns its kubelet and may change. */
const partOf = ({ metadata, spec, status }: ApiPod): string =>
  JSON.stringify([
    spec.readinessGates?.map(
      ({ conditionType }) => status?.conditions?.find(({ type }) => type === conditionType)?.status,
    ),
    metadata.generation,
    metadata.deletionTimestamp,
    metadata.deletionGracePeriodSeconds,
    metadata.labels,
    metadata.annotations,
  ]);
