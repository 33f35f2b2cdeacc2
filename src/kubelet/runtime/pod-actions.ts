import type {
  ContainerSpec,
  Pod,
  ProbeKind,
  ProbeResult,
  RuntimeContainerStatus,
  RuntimePodStatus,
  VersionProfile,
} from '../types.js';

/** Why a container is killed; selects its grace period. */
export type KillReason = 'liveness' | 'startup' | 'unknown' | 'post-start';

/** containerToKillInfo (kuberuntime_manager.go). `message` is the text of the Killing event. */
export interface ContainerToKill {
  readonly id: string;
  readonly container: ContainerSpec;
  readonly message: string;
  readonly reason: KillReason;
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
  /** RestartAllContainers: the containers to remove, in order (KEP-5532). */
  containersToReset: RuntimeContainerStatus[];
}

/** The complete input of `computePodActions`. */
export interface ActionInput {
  readonly pod: Pod;
  readonly status: RuntimePodStatus;
  readonly profile: VersionProfile;
  readonly hashOf: (container: ContainerSpec) => string;
  readonly probeResult: (kind: ProbeKind, containerId: string) => ProbeResult | undefined;
  /** The pod's condition AllContainersRestarting is true. */
  readonly restartingAll: boolean;
}
