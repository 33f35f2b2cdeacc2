import type { LinuxContainerResources } from '../../../../cri/gen/runtime/v1/api.js';

/** Processor limits; missing ones are 0. */
export const cpuOf = (given: LinuxContainerResources) => ({
  shares: { value: given.cpuShares },
  quota: { value: given.cpuQuota },
  period: { value: given.cpuPeriod },
  cpus: given.cpusetCpus,
  mems: given.cpusetMems,
});

/** Pod limits; missing ones are 0. */
export const limitsOf = (given: LinuxContainerResources | undefined) =>
  given && {
    cpu: cpuOf(given),
    memory: { limit: { value: given.memoryLimitInBytes } },
    hugepageLimits: given.hugepageLimits,
    unified: given.unified,
  };
