import { z } from 'zod';
import { quantities, type Resources } from './resources.js';
import { time } from './time.js';

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
  readonly ephemeralContainerStatuses?: readonly ContainerApiStatus[] | undefined;
}

/** v1.PodCondition; `lastTransitionTime` is when `status` last changed, in Unix nanoseconds. */
export interface PodCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly lastTransitionTime?: bigint | undefined;
  /** Unix nanoseconds; only for resize conditions. */
  readonly lastProbeTime?: bigint | undefined;
  /** Generation of the pod that it describes, if it differs from the status's. */
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
  /** SupplementalGroupsPolicy (on by default from 1.33). */
  readonly user?: ContainerUser | undefined;
  /** Actual resources (from 1.33 on); undefined without any. */
  readonly resources?: Resources | undefined;
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

/** v1.LinuxContainerUser of a container's first process. */
export interface ContainerUser {
  readonly uid: number;
  readonly gid: number;
  readonly supplementalGroups: readonly number[];
}

const resources = z.object({ limits: quantities, requests: quantities });

const stateSchema = z
  .object({
    waiting: z.object({ reason: z.string().default(''), message: z.string().default('') }).optional(),
    running: z.object({ startedAt: time }).optional(),
    terminated: z
      .object({
        exitCode: z.int().default(0),
        reason: z.string().default(''),
        message: z.string().default(''),
        startedAt: time,
        finishedAt: time,
        containerID: z.string().default(''),
      })
      .optional(),
  })
  .transform(({ waiting, running, terminated }): ContainerApiState | undefined => {
    if (running !== undefined) return { kind: 'running', startedAt: running.startedAt ?? 0n };
    if (waiting !== undefined) return { kind: 'waiting', ...waiting };
    if (terminated === undefined) return undefined;
    const { startedAt = 0n, finishedAt = 0n } = terminated;
    return { kind: 'terminated', ...terminated, startedAt, finishedAt };
  });

const containerSchema = z
  .object({
    name: z.string(),
    state: stateSchema.optional(),
    lastState: stateSchema.optional(),
    ready: z.boolean().default(false),
    started: z.boolean().default(false),
    restartCount: z.int().default(0),
    image: z.string().default(''),
    imageID: z.string().default(''),
    containerID: z.string().default(''),
    user: z
      .object({
        linux: z
          .object({ uid: z.int(), gid: z.int(), supplementalGroups: z.array(z.int()).default([]) })
          .optional(),
      })
      .optional(),
    resources: resources.optional(),
    allocatedResources: z.record(z.string(), z.string()).optional(),
  })
  .transform(
    ({ state, lastState, user, ...rest }): ContainerApiStatus => ({
      ...rest,
      state: state ?? { kind: 'waiting', reason: '', message: '' },
      lastState,
      ...(user?.linux && { user: user.linux }),
    }),
  );

const containers = z.array(containerSchema);

export const podStatusSchema = z
  .object({
    phase: z.enum(['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown']).default('Pending'),
    reason: z.string().optional(),
    message: z.string().optional(),
    conditions: z
      .array(
        z.object({
          type: z.string(),
          status: z.enum(['True', 'False', 'Unknown']),
          reason: z.string().optional(),
          message: z.string().optional(),
          lastTransitionTime: time,
          lastProbeTime: time,
          observedGeneration: z.int().optional(),
        }),
      )
      .default([]),
    podIPs: z
      .array(z.object({ ip: z.string() }))
      .default([])
      .transform((all) => all.map(({ ip }) => ip)),
    startTime: time,
    initContainerStatuses: containers.default([]),
    containerStatuses: containers.default([]),
    ephemeralContainerStatuses: containers.optional(),
  })
  .transform((status): PodApiStatus => status);

/** v1.PodStatus in an API object, with the fields that only a node or the API server sets. */
export type PodStatusJson = z.input<typeof podStatusSchema> & {
  readonly podIP?: string | undefined;
  readonly hostIP?: string;
  readonly hostIPs?: readonly { readonly ip: string }[];
  readonly qosClass?: string;
  readonly observedGeneration?: number;
};
