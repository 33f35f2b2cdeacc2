import type { Pod } from '../../kubernetes/pod.js';
import type { PodApiStatus } from '../../kubernetes/pod-status.js';

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
