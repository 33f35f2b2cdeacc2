import type { PodSandboxStatus } from '../../cri/gen/runtime/v1/api.js';
import type { ContainerUser } from '../kubernetes/pod-status.js';
import type { PodIdentity } from './reports.js';

export interface RuntimePodStatus extends PodIdentity {
  readonly ips: readonly string[];
  /** Highest attempt first, then newest. */
  readonly sandboxes: readonly PodSandboxStatus[];
  /** All attempts of all containers, newest `createdAt` first. */
  readonly containers: readonly RuntimeContainerStatus[];
  /** When the underlying lists were read, Unix nanoseconds. */
  readonly timestamp: bigint;
}

/** `created` is a separate state here; the PLEG maps it to unknown (kubelet pleg/generic.go). */
export type RuntimeContainerState = 'created' | 'running' | 'exited' | 'unknown';

/** kubecontainer.ContainerResources in millicores and bytes; undefined if the runtime does not report it. */
export interface ReportedResources {
  readonly cpuRequest?: number | undefined;
  readonly cpuLimit?: number | undefined;
  readonly memoryLimit?: number | undefined;
}

/** kubecontainer.Status. Times are in Unix nanoseconds, 0 if not reached yet. */
export interface RuntimeContainerStatus {
  readonly id: string;
  readonly name: string;
  readonly state: RuntimeContainerState;
  readonly createdAt: bigint;
  readonly startedAt: bigint;
  readonly finishedAt: bigint;
  readonly exitCode: number;
  readonly reason: string;
  readonly message: string;
  readonly image: string;
  readonly imageRef: string;
  /** Lower-case hexadecimal, from the annotation io.kubernetes.container.hash. */
  readonly hash: string;
  readonly restartCount: number;
  /** Undefined if the runtime does not report it. */
  readonly user?: ContainerUser | undefined;
  readonly resources?: ReportedResources | undefined;
  /** In the newest, ready sandbox (ActiveContainerStatuses). Never set for a status from its sandbox's reply. */
  readonly active: boolean;
}

/** pleg.PodLifecycleEvent. `data` is the id of the container or sandbox. */
export interface PodLifecycleEvent {
  readonly uid: string;
  readonly type: 'ContainerStarted' | 'ContainerDied' | 'ContainerRemoved' | 'ContainerChanged' | 'PodSync';
  readonly data: string;
}
