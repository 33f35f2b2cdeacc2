import type { Pod } from '../../kubelet/kubernetes/pod.js';
import type { PodApiStatus } from '../../kubelet/kubernetes/pod-status.js';
import { type ApiPod, podFromApi } from '../objects/pod-from-api.js';

/** A pod object of the API whose status a node keeps. */
export interface StatusEntry {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  /** Name of the node. */
  readonly node: string;
  /** It only shows a static pod: its end is not the pod's. */
  readonly isMirror?: true;
  /** The status in the API server, as JSON, which takes a third of the memory. */
  api: string;
  /** Version of the object that `api` is from. */
  version: bigint;
  /** The pod is being deleted. */
  deleting: boolean;
  /** The status that the kubelet wants, and the pod it was computed for; undefined before its first. */
  wanted: { readonly pod: Pod; readonly status: PodApiStatus } | undefined;
  /** No container of the pod will run again. */
  finished: boolean;
  /** The object is gone. */
  gone: boolean;
}

/** What this process keeps of one pod of the API server that is bound to one of its nodes. */
export interface PodEntry extends StatusEntry {
  /** As the kubelet gets it: the same object until something changes that concerns the kubelet. */
  pod: Pod;
  /** The part of the object that `pod` was made from and that may change, as JSON. */
  made: string;
}

/** Makes the entry of a pod of a node. Throws for a pod that can't be read. */
export function newEntry(object: ApiPod, node: string): PodEntry {
  const { name, namespace = 'default', uid } = object.metadata;
  return {
    uid,
    name,
    namespace,
    node,
    pod: podFromApi(object),
    made: partOf(object),
    ...stateOf(object),
    wanted: undefined,
    finished: false,
    gone: false,
  };
}

/** What an entry takes over of a pod in the API. */
export interface StatusObject {
  readonly metadata: { readonly resourceVersion: string; readonly deletionTimestamp?: string | undefined };
  readonly status?: object | undefined;
}

/** Takes over the status of an object. False for one that is not newer: the answer to a patch may come before the watch reports it. */
export function seeStatus(entry: StatusEntry, object: StatusObject): boolean {
  const state = stateOf(object);
  if (state.version <= entry.version) return false;
  Object.assign(entry, state);
  return true;
}

/** Takes over the part of an object that concerns the kubelet. False when that is the same. */
export function seePod(entry: PodEntry, object: ApiPod): boolean {
  const made = partOf(object);
  if (made === entry.made) return false;
  entry.made = made;
  entry.pod = podFromApi(object);
  return true;
}

/** What an entry keeps of the state in the API. */
export const stateOf = ({
  metadata,
  status = {},
}: StatusObject): Pick<StatusEntry, 'version' | 'api' | 'deleting'> => ({
  version: BigInt(metadata.resourceVersion),
  api: JSON.stringify(status),
  deleting: metadata.deletionTimestamp !== undefined,
});

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
