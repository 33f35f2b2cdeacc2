import type { PodSandboxStatus } from '../../cri/gen/runtime/v1/api.js';
import type { ContainerUser } from '../kubernetes/pod-status.js';

/** Status of a pod in the runtime (kubecontainer.PodStatus). */
export interface RuntimePodStatus {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  readonly ips: readonly string[];
  /** Highest attempt first, then newest. */
  readonly sandboxes: readonly PodSandboxStatus[];
  /** Newest `createdAt` first, all attempts of all containers. */
  readonly containers: readonly RuntimeContainerStatus[];
  /** When the underlying lists were read, Unix nanoseconds. */
  readonly timestamp: bigint;
}

/** `created` is a separate state here; the PLEG maps it to unknown (kubelet pleg/generic.go). */
export type RuntimeContainerState = 'created' | 'running' | 'exited' | 'unknown';

/** kubecontainer.ContainerResources: thousandths of a CPU, and bytes. What the runtime does not tell is undefined. */
export interface ReportedResources {
  readonly cpuRequest?: number | undefined;
  readonly cpuLimit?: number | undefined;
  readonly memoryLimit?: number | undefined;
}

/** kubecontainer.Status. Times are Unix nanoseconds, 0 if not reached yet. */
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
  /** Undefined when the runtime does not tell. */
  readonly user?: ContainerUser | undefined;
  readonly resources?: ReportedResources | undefined;
  /**
   * The container is in the pod's newest sandbox, which is ready (ActiveContainerStatuses). Never set for a status
   * that came with its sandbox's reply.
   */
  readonly active: boolean;
}

/** pleg.PodLifecycleEvent. `data` is the id of the container or sandbox. */
export interface PodLifecycleEvent {
  readonly uid: string;
  readonly type: 'ContainerStarted' | 'ContainerDied' | 'ContainerRemoved' | 'ContainerChanged' | 'PodSync';
  readonly data: string;
}
