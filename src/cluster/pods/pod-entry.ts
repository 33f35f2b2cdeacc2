import { createHash } from 'node:crypto';
import type { Pod } from '../../kubelet/kubernetes/pod.js';
import type { PodApiStatus } from '../../kubelet/kubernetes/pod-status.js';
import { type ApiPod, podFromApi, withMetadata } from '../objects/pod-from-api.js';

/** A pod object of the API whose status a node maintains. */
export interface StatusEntry {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  readonly node: string;
  /** A mirror pod: its end is not the static pod's. */
  readonly isMirror?: true;
  /** The API server's status as JSON, which takes a third of the memory. */
  api: string;
  /** Version of the object of `api`. */
  version: bigint;
  deleting: boolean;
  /** The kubelet's status, and the pod it was computed for; undefined before the first. */
  wanted: { readonly pod: Pod; readonly status: PodApiStatus } | undefined;
  /** No container of the pod will run again. */
  finished: boolean;
  gone: boolean;
}

export interface PodEntry extends StatusEntry {
  /** The kubelet's pod object, which stays the same until something changes that concerns the kubelet. */
  pod: Pod;
  /** JSON of the mutable part of the object that `pod` was made from, and a hash of its specification. */
  made: string;
  spec: string;
}

/** Throws for an invalid pod. */
export function newEntry(object: ApiPod, node: string): PodEntry {
  const { name, namespace = 'default', uid } = object.metadata;
  return {
    uid,
    name,
    namespace,
    node,
    pod: podFromApi(object),
    made: partOf(object),
    spec: hashOf(object),
    ...stateOf(object),
    wanted: undefined,
    finished: false,
    gone: false,
  };
}

export interface StatusObject {
  readonly metadata: { readonly resourceVersion: string; readonly deletionTimestamp?: string | undefined };
  readonly status?: object | undefined;
}

/** Updates the status. False if the object is not newer: a patch's reply may arrive before the watch reports it. */
export function seeStatus(entry: StatusEntry, object: StatusObject): boolean {
  const state = stateOf(object);
  if (state.version <= entry.version) return false;
  Object.assign(entry, state);
  return true;
}

/** Updates the part that concerns the kubelet. False if it is unchanged. */
export function seePod(entry: PodEntry, object: ApiPod): boolean {
  const made = partOf(object);
  if (made === entry.made) return false;
  const spec = hashOf(object);
  entry.pod = spec === entry.spec ? withMetadata(entry.pod, object) : podFromApi(object);
  entry.made = made;
  entry.spec = spec;
  return true;
}

/** The part of the API's state that an entry stores. */
export const stateOf = ({
  metadata,
  status = {},
}: StatusObject): Pick<StatusEntry, 'version' | 'api' | 'deleting'> => ({
  version: BigInt(metadata.resourceVersion),
  api: JSON.stringify(status),
  deleting: metadata.deletionTimestamp !== undefined,
});

const hashOf = ({ spec }: ApiPod): string => createHash('sha1').update(JSON.stringify(spec)).digest('base64');

/** The mutable part of a pod that concerns its kubelet. */
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
