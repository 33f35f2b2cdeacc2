import type { ListedPod } from '../client/list-pods.js';
import type { Pod } from '../kubernetes/pod.js';
import type { PodApiStatus } from '../kubernetes/pod-status.js';

/** PodWorkerState (pod_workers.go): SyncPod, TerminatingPod, TerminatedPod, only in this order. */
export type WorkerState = 'sync' | 'terminating' | 'terminated';

export interface PodWorker {
  readonly uid: string;
  readonly fullName: string;
  pod: Pod | undefined;
  shown: PodApiStatus | undefined;
  runtimePod: ListedPod | undefined;
  state: WorkerState;
  finished: boolean;
  /** The same pod was added again while it was stopping, for example because a static manifest returned. */
  wantedAgain: boolean;
  /** The pod was deleted before it ended by itself, or is no longer wanted. */
  deleted: boolean;
  started: boolean;
  working: boolean;
  pending: boolean;
  /** In seconds; undefined when no deletion set one, so that each container has its own. */
  grace: number | undefined;
  /** Start of the last sync in Unix nanoseconds; 0 before the first. */
  lastSync: bigint;
}

/** The worker receives its pod later; `fullName` is `fullNameOf` the pod. */
export function newPodWorker(uid: string, fullName: string): PodWorker {
  return {
    uid,
    fullName,
    pod: undefined,
    shown: undefined,
    runtimePod: undefined,
    state: 'sync',
    finished: false,
    wantedAgain: false,
    deleted: false,
    started: false,
    working: false,
    pending: false,
    grace: undefined,
    lastSync: 0n,
  };
}

/** `name_namespace` identifies static pods. */
export const fullNameOf = ({ metadata }: Pod): string => `${metadata.name}_${metadata.namespace}`;

/** calculateEffectiveGracePeriod: the shortest requested grace period, otherwise the pod's own; at least one second. */
export function effectiveGrace({ grace }: PodWorker, { metadata, spec }: Pod): number {
  const asked = metadata.deletionGracePeriodSeconds ?? grace ?? spec.terminationGracePeriodSeconds;
  return Math.max(1, Math.min(asked, grace ?? asked));
}
