import type { ContainerStats } from '../../../cri/gen/runtime/v1/api.js';

/** A container's summed stats: zero if it isn't running (core/stats_linux.go). */
export function shownStats(
  { attributes, cpu, memory, writableLayer }: ContainerStats,
  now: bigint,
): ContainerStats {
  return {
    attributes,
    cpu: {
      timestamp: now,
      usageCoreNanoSeconds: cpu?.usageCoreNanoSeconds ?? ZERO,
      usageNanoCores: undefined,
      psi: undefined,
    },
    memory: {
      timestamp: now,
      workingSetBytes: memory?.workingSetBytes ?? ZERO,
      availableBytes: undefined,
      usageBytes: undefined,
      rssBytes: undefined,
      pageFaults: undefined,
      majorPageFaults: undefined,
      psi: undefined,
    },
    writableLayer: writableLayer && {
      ...writableLayer,
      fsId: { mountpoint: '/var/lib/docker' },
      inodesUsed: undefined,
    },
    swap: undefined,
    io: undefined,
  };
}

const ZERO = { value: 0n };
