import { LinuxContainerResources } from '../../../cri/gen/runtime/v1/api.js';
import { LinuxResources } from '../gen/nri/v1alpha1/api.js';

/** CRI limits for plugins in requests about pods and updates: missing ones are 0. */
export function fromCri(given: LinuxContainerResources | undefined): LinuxResources | undefined {
  if (given === undefined) return undefined;
  return LinuxResources.fromPartial({
    cpu: {
      shares: { value: given.cpuShares },
      quota: { value: given.cpuQuota },
      period: { value: given.cpuPeriod },
      cpus: given.cpusetCpus,
      mems: given.cpusetMems,
    },
    memory: { limit: { value: given.memoryLimitInBytes } },
    hugepageLimits: given.hugepageLimits,
    unified: given.unified,
  });
}

/** CRI limits in a container's spec: missing ones stay missing. */
export function inSpec(given: LinuxContainerResources | undefined): LinuxResources {
  const optional = (value: bigint | undefined) => (value ? { value } : undefined);
  const limit = optional(given?.memoryLimitInBytes);
  return LinuxResources.fromPartial({
    ...(given && {
      cpu: {
        shares: optional(given.cpuShares),
        quota: optional(given.cpuQuota),
        period: optional(given.cpuPeriod),
        cpus: given.cpusetCpus,
        mems: given.cpusetMems,
      },
      memory: { limit, swap: limit },
    }),
    unified: given?.unified ?? {},
    devices: [{ allow: false, access: 'rwm' }],
  });
}

/** Limits of plugins in CRI form; the CRI has no field for others, which have no effect. */
export function toCri(given: LinuxResources): LinuxContainerResources {
  const { memory, cpu } = given;
  return LinuxContainerResources.fromPartial({
    memoryLimitInBytes: memory?.limit?.value ?? 0n,
    cpuShares: cpu?.shares?.value ?? 0n,
    cpuPeriod: cpu?.period?.value ?? 0n,
    cpuQuota: cpu?.quota?.value ?? 0n,
    cpusetCpus: cpu?.cpus ?? '',
    cpusetMems: cpu?.mems ?? '',
    hugepageLimits: given.hugepageLimits,
    unified: given.unified,
  });
}
