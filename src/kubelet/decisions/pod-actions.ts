import type { ContainerSpec } from '../kubernetes/container.js';
import type { Pod } from '../kubernetes/pod.js';
import type { Resources } from '../kubernetes/resources.js';
import type { Sizes } from '../resources/sizes.js';
import type { ProbeKind, ProbeResult } from '../types/ports.js';
import type { RuntimeContainerStatus, RuntimePodStatus } from '../types/runtime-status.js';
import type { KubeletVersion } from '../types/version.js';

/** Why a container is killed; selects its grace period. */
export type KillReason = 'liveness' | 'startup' | 'unknown' | 'post-start';

/** containerToKillInfo (kuberuntime_manager.go). `message` is the text of the Killing event. */
export interface ContainerToKill {
  readonly id: string;
  readonly container: ContainerSpec;
  readonly message: string;
  readonly reason: KillReason;
}

/** containerToUpdateInfo. */
export interface ContainerToUpdate {
  readonly id: string;
  readonly container: ContainerSpec;
  readonly desired: Sizes;
  /** At first. */
  readonly current: Sizes;
  /** What the runtime has accepted; both updates of a container have the same. */
  readonly shared: { sizes: Sizes };
}

/** The resources that can be resized, in the order of their updates. */
export type ResizedResource = 'memory' | 'cpu';

/** What a sync resizes: the containers to update for each resource, and whether one starts again with other resources. */
export interface PodResize {
  readonly memory: ContainerToUpdate[];
  readonly cpu: ContainerToUpdate[];
  restarts: boolean;
}

/** The actions of one sync (kuberuntime podActions). Indexes refer to the pod's specification. */
export interface PodActions {
  killPod: boolean;
  createSandbox: boolean;
  readonly sandboxId: string;
  /** Of the sandbox to create, or of the existing one. */
  readonly attempt: number;
  initContainersToStart: number[];
  containersToStart: number[];
  readonly ephemeralContainersToStart: number[];
  readonly containersToKill: ContainerToKill[];
  /** Undefined when no container has to get other resources. */
  resize?: PodResize;
  /** RestartAllContainers: the containers to remove, in order (KEP-5532). */
  containersToReset: RuntimeContainerStatus[];
}

/** The complete input of `computePodActions`. */
export interface ActionInput {
  readonly pod: Pod;
  readonly status: RuntimePodStatus;
  readonly version: KubeletVersion;
  readonly hashOf: (container: ContainerSpec) => string;
  readonly probeResult: (kind: ProbeKind, containerId: string) => ProbeResult | undefined;
  /** What the runtime was last told of a container's resources; undefined if that is not known. */
  readonly actuated: (container: ContainerSpec) => Resources | undefined;
  /** The pod's condition AllContainersRestarting is true. */
  readonly restartingAll: boolean;
}
