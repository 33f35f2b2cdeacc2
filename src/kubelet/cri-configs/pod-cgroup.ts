import type { LinuxContainerResources } from '../../cri/gen/runtime/v1/api.js';
import type { Pod } from '../kubernetes/pod.js';
import { podRequests } from '../resources/requests.js';
import { resourcesOfSizes, sizesOf, withResources } from '../resources/sizes.js';
import { linuxResources } from './container-config.js';

/** Limits of a pod's cgroup. The runtime receives them, but nothing enforces them. -1 means no limit. */
export interface PodCgroup {
  readonly shares: number;
  readonly quota: number;
  readonly memory: number;
}

const NONE = -1;

/** ResourceConfigForPod (cm/helpers_linux.go). A limit applies only if every container has one. */
export function podCgroup(pod: Pod): PodCgroup {
  const all = [...pod.spec.initContainers, ...pod.spec.containers].map(({ resources }) => sizesOf(resources));
  // Limits add up like requests.
  const limits = podRequests(
    withResources(pod, ({ resources }) => ({ limits: {}, requests: resources.limits })),
  );
  const [cpuLimit = 0, memoryLimit = 0] = [limits.get('cpu'), limits.get('memory')];
  const cpuRequest = podRequests(pod).get('cpu') ?? 0;
  const { cpuShares, cpuQuota } = linuxResources(
    resourcesOfSizes({ cpuRequest, cpuLimit, memoryRequest: 0, memoryLimit }),
  );
  return {
    shares: Number(cpuShares),
    quota: all.every((sizes) => sizes.cpuLimit > 0) ? Number(cpuQuota) : NONE,
    memory: all.every((sizes) => sizes.memoryLimit > 0) ? memoryLimit : NONE,
  };
}

export const cgroupResources = ({ shares, quota, memory }: PodCgroup): Partial<LinuxContainerResources> => ({
  cpuPeriod: 100_000n,
  cpuQuota: BigInt(quota),
  cpuShares: BigInt(shares),
  memoryLimitInBytes: BigInt(memory),
});

/** A removed limit stays in force (kubernetes #128675). */
export const keepLimits = (wanted: PodCgroup, current: PodCgroup): PodCgroup => ({
  shares: wanted.shares,
  quota: wanted.quota === NONE ? current.quota : wanted.quota,
  memory: wanted.memory === NONE ? current.memory : wanted.memory,
});
