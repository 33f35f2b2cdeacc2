import { bytesText, memoryBytes, milliCpu, milliCpuText } from '../../base/input/quantity.js';
import { admit } from '../admission/admit.js';
import type { AdmittingNode } from '../admission/admitting-node.js';
import type { Rejection } from '../admission/rejection.js';
import { statusOf } from '../decisions/restart.js';
import type { Pod } from '../kubernetes/pod.js';
import type { PodApiStatus, PodCondition } from '../kubernetes/pod-status.js';
import type { Resources } from '../kubernetes/resources.js';
import { exceeds, podRequests } from '../resources/requests.js';
import type { ResizeCheckpoints, ResourceRecord } from '../resources/resource-record.js';
import { isSameSize, sizesOf, withResources } from '../resources/sizes.js';
import { allStatuses } from '../status/container-statuses.js';
import type { Recorder } from '../types/ports.js';
import type { RuntimePodStatus } from '../types/runtime-status.js';
import { createAllocations } from './allocations.js';
import { createResizeConditions, type ResizeConditions } from './resize-conditions.js';
import { resizeMessage } from './resize-message.js';
import { createResizes, type ResizesOptions } from './resizes.js';

interface ResizeReports {
  readonly conditions: ResizeConditions;
  readonly recorder: Recorder;
}

export interface ResizingOptions
  extends Pick<ResizesOptions, 'clock' | 'version' | 'recorder' | 'podOf' | 'sync'> {
  readonly checkpoints: ResizeCheckpoints;
  /** The node that admits pods. Undefined means that it admits all. */
  readonly node: (() => AdmittingNode) | undefined;
  readonly statusOf: (uid: string) => PodApiStatus | undefined;
  readonly activePods: (other: Pod) => readonly Pod[];
}

/** Allocates the node's resources to pods and resizes them in place (KEP-1287). */
export interface Resizing {
  /** The pod with its allocated resources; the same object if they equal the specification. */
  allocated(pod: Pod): Pod;
  /** Admits a pod and allocates what it requests, or an earlier kubelet's allocation; returns why it does not fit. */
  admit(pod: Pod): Rejection | undefined;
  /** Takes admitted pods. An earlier kubelet may have left resizes that wait. */
  added(pods: readonly Pod[]): void;
  changed(before: Pod, pod: Pod): void;
  removed(uid: string): void;
  /** Tries all waiting resizes, because one may fit now. */
  retry(): void;
  published(pod: Pod, before: PodApiStatus | undefined, status: PodApiStatus): void;
  finished(): void;
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

/**
 * The pod with the resources that its containers may use (component-helpers determineContainerReqs): a shrinking
 * container counts with its old size until its status shows less.
 */
function inUse(pod: Pod, status: PodApiStatus | undefined): Pod {
  const shown = allStatuses(status);
  return withResources(pod, ({ name, resources }) => {
    const { resources: has, allocatedResources } = shown.find((each) => each.name === name) ?? {};
    const lists = [resources.requests, has?.requests, allocatedResources];
    const used = { ...resources, requests: { ...resources.requests, ...most(lists) } };
    return isSameSize(sizesOf(used), sizesOf(resources)) ? undefined : used;
  });
}

function most(lists: readonly (Resources['requests'] | undefined)[]): Resources['requests'] {
  const cpu = Math.max(...lists.map((list) => milliCpu(list?.cpu) ?? 0));
  const memory = Math.max(...lists.map((list) => Number(memoryBytes(list?.memory) ?? 0n)));
  return { ...(cpu > 0 && { cpu: milliCpuText(cpu) }), ...(memory > 0 && { memory: bytesText(memory) }) };
}

/** Before a sync (kubelet.go SyncPod): the pod is being resized, or its resize is complete. */
function followResize(pod: Pod, inProgress: boolean, { conditions, recorder }: ResizeReports): void {
  if (inProgress) {
    conditions.setInProgress(pod);
    return;
  }
  const generation = conditions.clearInProgress(pod.metadata.uid);
  if (generation === undefined) return;
  recorder.event(pod, 'Normal', 'ResizeCompleted', resizeMessage('Pod resize completed', pod, generation));
}

function reportFailedResize(pod: Pod, message: string, { conditions, recorder }: ResizeReports): void {
  const { generation, changed } = conditions.setInProgress(pod, 'Error', message);
  if (!changed) return;
  recorder.event(pod, 'Warning', 'ResizeError', resizeMessage('Pod resize error', pod, generation, message));
}

/** IsPodResizeInProgress: a running container's or sidecar's allocation has not reached the runtime yet. */
function isResizing({ metadata, spec }: Pod, status: RuntimePodStatus, actuated: ResourceRecord): boolean {
  const sidecars = spec.initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always');
  return [...sidecars, ...spec.containers].some(({ name, resources }) => {
    const known = actuated.get(metadata.uid, name);
    if (known === undefined || statusOf(status, name)?.state !== 'running') return false;
    return !isSameSize(sizesOf(known), sizesOf(resources));
  });
}

/** Whether a pod uses fewer of the node's resources than its previous status said (HandlePodReconcile). */
function makesRoom(pod: Pod, before: PodApiStatus | undefined, status: PodApiStatus): boolean {
  return exceeds(podRequests(inUse(pod, before)), podRequests(inUse(pod, status)));
}
