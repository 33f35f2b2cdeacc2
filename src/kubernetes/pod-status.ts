import type { Resources } from './resources.js';

/** v1.PodStatus with the fields that the kubelet sets. Times are Unix nanoseconds. */
export interface PodApiStatus {
  readonly phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly conditions: readonly PodCondition[];
  readonly podIPs: readonly string[];
  readonly startTime?: bigint | undefined;
  readonly initContainerStatuses: readonly ContainerApiStatus[];
  readonly containerStatuses: readonly ContainerApiStatus[];
  /** Undefined for a pod without such containers. */
  readonly ephemeralContainerStatuses?: readonly ContainerApiStatus[] | undefined;
}

/** v1.PodCondition; `lastTransitionTime` in Unix nanoseconds, when `status` last changed. */
export interface PodCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly lastTransitionTime?: bigint | undefined;
  /** Unix nanoseconds; only of conditions about resizing. */
  readonly lastProbeTime?: bigint | undefined;
  /** Generation of the pod that it is about, if that is not the status's own. */
  readonly observedGeneration?: number | undefined;
}

/** v1.ContainerStatus. */
export interface ContainerApiStatus {
  readonly name: string;
  readonly state: ContainerApiState;
  readonly lastState: ContainerApiState | undefined;
  readonly ready: boolean;
  readonly started: boolean;
  readonly restartCount: number;
  readonly image: string;
  readonly imageID: string;
  /** `<runtime name>://<id>`; empty before there is a container. */
  readonly containerID: string;
  /** SupplementalGroupsPolicy (from 1.33 on by default). */
  readonly user?: ContainerUser | undefined;
  /** What the container has (from 1.33 on); undefined without any. */
  readonly resources?: Resources | undefined;
  /** What its node has set aside for it. */
  readonly allocatedResources?: Resources['requests'] | undefined;
}

/** v1.ContainerState. Times are Unix nanoseconds, 0 if unknown. */
export type ContainerApiState =
  | { readonly kind: 'waiting'; readonly reason: string; readonly message: string }
  | { readonly kind: 'running'; readonly startedAt: bigint }
  | {
      readonly kind: 'terminated';
      readonly exitCode: number;
      readonly reason: string;
      readonly message: string;
      readonly startedAt: bigint;
      readonly finishedAt: bigint;
      readonly containerID: string;
    };

/** v1.LinuxContainerUser: who a container's first process runs as. */
export interface ContainerUser {
  readonly uid: number;
  readonly gid: number;
  readonly supplementalGroups: readonly number[];
}
