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

/** What the resources of a node depend on. */
export interface ResizingOptions
  extends Pick<ResizesOptions, 'clock' | 'version' | 'recorder' | 'podOf' | 'sync'> {
  readonly checkpoints: ResizeCheckpoints;
  /** The node that decides which pods it takes. Undefined: it takes all. */
  readonly node: (() => AdmittingNode) | undefined;
  readonly statusOf: (uid: string) => PodApiStatus | undefined;
  /** The other pods that use resources of the node. */
  readonly activePods: (other: Pod) => readonly Pod[];
}

/** The resources that a node sets aside for its pods, and how those change in place (KEP-1287). */
export interface Resizing {
  /** The pod with what the node has set aside for it; the same pod if that is what it asks for. */
  allocated(pod: Pod): Pod;
  /** Takes a new pod and sets aside what it asks for, or what an earlier kubelet has; or why it does not fit. */
  admit(pod: Pod): Rejection | undefined;
  /** Pods that were taken. An earlier kubelet may have left resizes that wait. */
  added(pods: readonly Pod[]): void;
  /** A pod asks for something else than before. */
  changed(before: Pod, pod: Pod): void;
  /** A pod is not wanted any more. */
  removed(uid: string): void;
  /** Something may fit now: tries all that wait. */
  retry(): void;
  /** A pod's status follows another one. */
  published(pod: Pod, before: PodApiStatus | undefined, status: PodApiStatus): void;
  /** A pod has ended. */
  finished(): void;
  /** Before a sync: the conditions of the pod say whether it is being resized. */
  follow(pod: Pod, status: RuntimePodStatus): void;
  /** After a sync: the pod's resize failed. */
  failed(pod: Pod, message: string): void;
  /** Conditions for the pod's status; a terminal one has none any more. */
  conditions(uid: string, terminal: boolean): readonly PodCondition[];
  /** Forgets all pods but these. */
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
  /** Why the pod does not fit on the node next to the others. */
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

/** Whether a pod uses less of the node than its status before said (HandlePodReconcile). */
function makesRoom(pod: Pod, before: PodApiStatus | undefined, status: PodApiStatus): boolean {
  return exceeds(podRequests(inUse(pod, before)), podRequests(inUse(pod, status)));
}
