import type { HostConfig } from 'dockerode';
import { unsupported } from '../../../src/cri/errors.js';
import type { LinuxContainerResources } from '../../../src/cri/gen/runtime/v1/api.js';

export type Limits = Pick<
  HostConfig,
  'Memory' | 'MemorySwap' | 'CpuShares' | 'CpuQuota' | 'CpuPeriod' | 'CpusetCpus' | 'CpusetMems' | 'PidsLimit'
>;

/** The only setting of cgroup v2 that Docker has under another name. */
const PIDS = 'pids.max';

/** Leaves limits that are 0 or empty to Docker. Throws `unsupported` for limits that Docker can't set. */
export function limitsOf(resources: LinuxContainerResources | undefined): Limits {
  if (resources === undefined) return {};
  const huge = resources.hugepageLimits.find(({ limit }) => limit > 0n);
  if (huge !== undefined)
    throw unsupported(`Docker can't limit huge pages: hugepage_limits of ${huge.pageSize} is ${huge.limit}`);
  const other = Object.keys(resources.unified).find((key) => key !== PIDS);
  if (other !== undefined)
    throw unsupported(`Docker can't set ${other}: of linux.resources.unified it takes ${PIDS} only`);
  const memory = Number(resources.memoryLimitInBytes);
  // Both fields limit memory and swap together. Docker's default would add the same amount of swap.
  const swap = Number(resources.memorySwapLimitInBytes) || memory;
  const pids = Number(resources.unified[PIDS] ?? 0);
  return {
    ...(memory > 0 && { Memory: memory }),
    ...(swap !== 0 && { MemorySwap: swap }),
    ...(resources.cpuShares > 0n && { CpuShares: Number(resources.cpuShares) }),
    ...(resources.cpuQuota !== 0n && { CpuQuota: Number(resources.cpuQuota) }),
    ...(resources.cpuPeriod > 0n && { CpuPeriod: Number(resources.cpuPeriod) }),
    ...(resources.cpusetCpus !== '' && { CpusetCpus: resources.cpusetCpus }),
    ...(resources.cpusetMems !== '' && { CpusetMems: resources.cpusetMems }),
    ...(pids > 0 && { PidsLimit: pids }),
  };
}

/** Docker's current values override those from the creation, because the labels don't record an update. */
export function resourcesInForce(
  made: LinuxContainerResources | undefined,
  host: HostConfig,
): LinuxContainerResources | undefined {
  if (made === undefined) return undefined;
  const given = limitsOf(made);
  const changed = (name: keyof Limits): boolean =>
    Boolean(host[name]) && (host[name] as unknown) !== (given[name] as unknown);
  return {
    ...made,
    ...(changed('Memory') && { memoryLimitInBytes: BigInt(host.Memory ?? 0) }),
    ...(changed('MemorySwap') &&
      host.MemorySwap !== host.Memory && { memorySwapLimitInBytes: BigInt(host.MemorySwap ?? 0) }),
    ...(changed('CpuShares') && { cpuShares: BigInt(host.CpuShares ?? 0) }),
    ...(changed('CpuQuota') && { cpuQuota: BigInt(host.CpuQuota ?? 0) }),
    ...(changed('CpuPeriod') && { cpuPeriod: BigInt(host.CpuPeriod ?? 0) }),
    ...(changed('CpusetCpus') && { cpusetCpus: host.CpusetCpus ?? '' }),
    ...(changed('CpusetMems') && { cpusetMems: host.CpusetMems ?? '' }),
  };
}
