import type { ContainerSpec } from '../kubernetes/container.js';
import type { Pod } from '../kubernetes/pod.js';
import type { Resources } from '../kubernetes/resources.js';
import type { Sizes } from '../resources/sizes.js';
import type { ProbeKind, ProbeResult } from '../types/ports.js';
import type { RuntimeContainerStatus, RuntimePodStatus } from '../types/runtime-status.js';
import type { KubeletVersion } from '../types/version.js';

/** Selects the grace period. */
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
  readonly current: Sizes;
  /** What the runtime has accepted; both updates of a container share it. */
  readonly shared: { sizes: Sizes };
}

export type ResizedResource = 'memory' | 'cpu';

/** The containers to update for each resource, and whether one restarts with other resources. */
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
  readonly attempt: number;
  initContainersToStart: number[];
  containersToStart: number[];
  readonly ephemeralContainersToStart: number[];
  readonly containersToKill: ContainerToKill[];
  /** Undefined if no container needs other resources. */
  resize?: PodResize;
  /** RestartAllContainers (KEP-5532), in order of removal. */
  containersToReset: RuntimeContainerStatus[];
}

export interface ActionInput {
  readonly pod: Pod;
  readonly status: RuntimePodStatus;
  readonly version: KubeletVersion;
  readonly hashOf: (container: ContainerSpec) => string;
  readonly probeResult: (kind: ProbeKind, containerId: string) => ProbeResult | undefined;
  /** Resources that the kubelet last sent to the runtime; undefined if unknown. */
  readonly actuated: (container: ContainerSpec) => Resources | undefined;
  readonly restartingAll: boolean;
}
