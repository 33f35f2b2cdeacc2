import { setEntry } from '../../../cri/map-entry.js';
import { Field, LinuxCPU, LinuxMemory, type LinuxResources } from '../gen/nri/v1alpha1/api.js';
import type { Claimant } from './entries.js';

type MemoryKey = Exclude<keyof LinuxMemory, never>;

const memoryFields: Readonly<Record<MemoryKey, Field>> = {
  limit: Field.MemLimit,
  reservation: Field.MemReservation,
  swap: Field.MemSwapLimit,
  kernel: Field.MemKernelLimit,
  kernelTcp: Field.MemTCPLimit,
  swappiness: Field.MemSwappiness,
  disableOomKiller: Field.MemDisableOomKiller,
  useHierarchy: Field.MemUseHierarchy,
};

const cpuFields: Readonly<Record<keyof LinuxCPU, Field>> = {
  shares: Field.CPUShares,
  quota: Field.CPUQuota,
  period: Field.CPUPeriod,
  realtimeRuntime: Field.CPURealtimeRuntime,
  realtimePeriod: Field.CPURealtimePeriod,
  cpus: Field.CPUSetCPUs,
  mems: Field.CPUSetMems,
};

const classFields = { blockioClass: Field.BlockioClass, rdtClass: Field.RdtClass } as const;

/** Sets a plugin's resources in all targets, each with its owner. Throws AdjustmentConflict. */
export function mergeResources(
  claimant: Claimant,
  given: LinuxResources,
  targets: readonly LinuxResources[],
): void {
  const { owners, container, plugin } = claimant;
  for (const target of targets) {
    target.memory ??= LinuxMemory.fromPartial({});
    target.cpu ??= LinuxCPU.fromPartial({});
  }
  mergePart(
    claimant,
    memoryFields,
    given.memory,
    targets.map(({ memory }) => memory),
  );
  mergePart(
    claimant,
    cpuFields,
    given.cpu,
    targets.map(({ cpu }) => cpu),
  );
  for (const limit of given.hugepageLimits) {
    owners.claimEntry(container, Field.HugepageLimits, limit.pageSize, plugin);
    for (const target of targets) target.hugepageLimits.push(limit);
  }
  for (const target of targets) target.devices = [...target.devices, ...given.devices];
  for (const [name, value] of Object.entries(given.unified)) {
    owners.claimEntry(container, Field.CgroupsUnified, name, plugin);
    for (const target of targets) setEntry(target.unified, name, value);
  }
  mergePart(claimant, classFields, given, targets);
  if (given.pids !== undefined) {
    owners.claim(container, Field.PidsLimit, plugin);
    for (const target of targets) target.pids = given.pids;
  }
}

/** Ignores undefined and empty fields. */
function mergePart<T extends object>(
  { owners, container, plugin }: Claimant,
  fields: Readonly<Partial<Record<keyof T, Field>>>,
  given: T | undefined,
  targets: readonly (T | undefined)[],
): void {
  if (given === undefined) return;
  for (const [key, field] of Object.entries(fields) as [keyof T, Field][]) {
    const value = given[key];
    if (value === undefined || value === '') continue;
    owners.claim(container, field, plugin);
    for (const target of targets) if (target !== undefined) target[key] = value;
  }
}
