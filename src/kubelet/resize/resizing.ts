import { admit } from '../admission/admit.js';
import type { AdmittingNode } from '../admission/admitting-node.js';
import type { Rejection } from '../admission/rejection.js';
import type { Pod } from '../kubernetes/pod.js';
import type { PodApiStatus, PodCondition } from '../kubernetes/pod-status.js';
import { exceeds, podRequests } from '../resources/requests.js';
import type { ResizeCheckpoints } from '../resources/resource-record.js';
import type { RuntimePodStatus } from '../types/runtime-status.js';
import { createAllocations } from './allocations.js';
import { followResize, reportFailedResize } from './follow-resize.js';
import { inUse } from './in-use.js';
import { isResizing } from './is-resizing.js';
import { createResizeConditions } from './resize-conditions.js';
import { createResizes, type ResizesOptions } from './resizes.js';

/** Dependencies of resource allocation. */
export interface ResizingOptions
  extends Pick<ResizesOptions, 'clock' | 'version' | 'recorder' | 'podOf' | 'sync'> {
  readonly checkpoints: ResizeCheckpoints;
  /** The node that admits pods. Undefined: it admits all. */
  readonly node: (() => AdmittingNode) | undefined;
  readonly statusOf: (uid: string) => PodApiStatus | undefined;
  /** Other pods that use the node's resources. */
  readonly activePods: (other: Pod) => readonly Pod[];
}

/** Allocates the node's resources to pods and resizes them in place (KEP-1287). */
export interface Resizing {
  /** The pod with its allocated resources; the same object if they equal the specification. */
  allocated(pod: Pod): Pod;
  /**
   * Admits a new pod and allocates what it requests, or what an earlier kubelet allocated; returns why it does not fit.
   */
  admit(pod: Pod): Rejection | undefined;
  /** Takes admitted pods. An earlier kubelet may have left resizes that wait. */
  added(pods: readonly Pod[]): void;
  changed(before: Pod, pod: Pod): void;
  removed(uid: string): void;
  /** Tries all waiting resizes, because one may fit now. */
  retry(): void;
  /** Called with each new status of a pod and the one before it. */
  published(pod: Pod, before: PodApiStatus | undefined, status: PodApiStatus): void;
  finished(): void;
  /** Before a sync: sets the pod's resize conditions. */
  follow(pod: Pod, status: RuntimePodStatus): void;
  failed(pod: Pod, message: string): void;
  /** Conditions for the pod's status; a pod in a terminal phase has none. */
  conditions(uid: string, terminal: boolean): readonly PodCondition[];
  keep(uids: { has(uid: string): boolean }): void;
  stop(): void;
}

/** Kubelets before 1.33 resize nothing. */
export function createResizing(options: ResizingOptions): Resizing {
  const { clock, version, recorder, podOf, statusOf, activePods, sync } = options;
  const { allocated, actuated } = options.checkpoints;
  const allocations = createAllocations(allocated, version);
  const conditions = createResizeConditions(clock);
  const reports = { conditions, recorder };
  /** Why the pod does not fit on the node with the others. */
  const lack = (pod: Pod): Rejection | undefined => {
    if (options.node === undefined) return undefined;
    const others = activePods(pod).map((other) => inUse(allocations.of(other), statusOf(other.metadata.uid)));
    return admit(pod, others, options.node(), version);
  };
  const resizes = createResizes({ clock, version, recorder, allocations, conditions, podOf, lack, sync });
  return {
    allocated: allocations.of,
    admit: (pod) => {
      const taken = allocations.of(pod);
      const rejection = lack(taken);
      if (rejection === undefined) allocations.set(taken);
      return rejection;
    },
    added: resizes.added,
    changed: resizes.changed,
    removed: allocations.remove,
    retry: resizes.retry,
    published: (pod, before, status) => {
      if (resizes.areWaiting && makesRoom(pod, before, status)) resizes.retry();
    },
    finished: () => {
      if (resizes.areWaiting) resizes.retry();
    },
    follow: (pod, status) => {
      if (version.resizes) followResize(pod, isResizing(pod, status, actuated), reports);
    },
    failed: (pod, message) => reportFailedResize(pod, message, reports),
    conditions: (uid, terminal) => {
      if (terminal) conditions.clear(uid);
      return conditions.of(uid);
    },
    keep: (uids) => {
      for (const each of [allocated, actuated, conditions]) each.keep(uids);
    },
    stop: resizes.stop,
  };
}

/** Whether a pod uses fewer of the node's resources than its previous status said (HandlePodReconcile). */
function makesRoom(pod: Pod, before: PodApiStatus | undefined, status: PodApiStatus): boolean {
  return exceeds(podRequests(inUse(pod, before)), podRequests(inUse(pod, status)));
}
