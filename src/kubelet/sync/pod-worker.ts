import type { ListedPod } from '../runtime/pods.js';
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
  /** Nobody wants the pod any more. */
  orphaned: boolean;
  started: boolean;
  working: boolean;
  pending: boolean;
  /** Seconds that were asked for; undefined when nobody did. */
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
    orphaned: false,
    started: false,
    working: false,
    pending: false,
    grace: undefined,
    lastSync: 0n,
  };
}

/** `name_namespace`, as static pods are told apart. */
export const fullNameOf = ({ metadata }: Pod): string => `${metadata.name}_${metadata.namespace}`;

/** calculateEffectiveGracePeriod: what was asked for, else the pod's own; at least a second. */
export function graceOf({ grace }: PodWorker, { spec }: Pod): number {
  return Math.max(1, grace ?? spec.terminationGracePeriodSeconds);
}
