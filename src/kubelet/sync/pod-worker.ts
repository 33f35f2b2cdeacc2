import type { ListedPod } from '../runtime/list-pods.js';
import type { Pod } from '../types.js';

/** PodWorkerState (pod_workers.go): SyncPod, TerminatingPod, TerminatedPod. There is no way back. */
export type WorkerState = 'sync' | 'terminating' | 'terminated';

/** podSyncStatus: what is known of a pod's worker, and what it has to do next. */
export interface PodWorker {
  readonly uid: string;
  readonly fullName: string;
  pod: Pod | undefined;
  runtimePod: ListedPod | undefined;
  state: WorkerState;
  finished: boolean;
  /** The same pod came back while it was stopped, as a static pod does whose manifest returns. */
  wantedAgain: boolean;
  /** Deleted before it came to its end of itself, or nobody wants it any more. */
  deleted: boolean;
  started: boolean;
  working: boolean;
  pending: boolean;
  /** Seconds that it is given to end; undefined when nobody told it to, so that each container has its own. */
  grace: number | undefined;
  /** When the last sync began, Unix nanoseconds; 0 before the first. */
  lastSync: bigint;
}

/** A worker that has not been told its pod yet; `fullName` is `fullNameOf` it. */
export function newPodWorker(uid: string, fullName: string): PodWorker {
  return {
    uid,
    fullName,
    pod: undefined,
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

/** `name_namespace`, as static pods are told apart. */
export const fullNameOf = ({ metadata }: Pod): string => `${metadata.name}_${metadata.namespace}`;

/** calculateEffectiveGracePeriod: the shortest that was asked for, else the pod's own; at least a second. */
export function effectiveGrace({ grace }: PodWorker, { metadata, spec }: Pod): number {
  const asked = metadata.deletionGracePeriodSeconds ?? grace ?? spec.terminationGracePeriodSeconds;
  return Math.max(1, Math.min(asked, grace ?? asked));
}
