import type {
  ContainerStats,
  FilesystemUsage,
  MemoryUsage,
  NetworkInterfaceUsage,
  PodSandboxStats,
} from '../../../cri/gen/runtime/v1/api.js';

export interface ShownStats {
  container(stats: ContainerStats): ContainerStats;
  pod(stats: PodSandboxStats): PodSandboxStats;
}

/** Containers with a stored measurement; with more, all are forgotten. */
const MOST_RATES = 4096;

/** Rates exist from the second request for a container on; requests for its sandbox do not count. */
export function createShownStats(now: () => bigint): ShownStats {
  const seen = new Set<string>();
  const idOf = ({ attributes }: ContainerStats) => attributes?.id ?? '';
  const ofPod = (stats: ContainerStats) => shownStats(stats, seen.has(idOf(stats)), now());
  const container = (stats: ContainerStats): ContainerStats => {
    const shown = ofPod(stats);
    if (seen.size >= MOST_RATES) seen.clear();
    seen.add(idOf(stats));
    return shown;
  };
  return { container, pod: (stats) => shownPodStats(stats, ofPod) };
}

/** A created container has usage too; no container has pressure (PSI) and IO. */
function shownStats(
  { attributes, cpu, memory, writableLayer }: ContainerStats,
  hasRate: boolean,
  now: bigint,
): ContainerStats {
  const used = memory ?? NO_MEMORY;
  return {
    attributes,
    cpu: {
      timestamp: cpu?.timestamp ?? now,
      usageCoreNanoSeconds: cpu?.usageCoreNanoSeconds ?? ZERO,
      usageNanoCores: hasRate ? (cpu?.usageNanoCores ?? ZERO) : undefined,
      psi: undefined,
    },
    memory: {
      ...used,
      timestamp: memory?.timestamp ?? now,
      availableBytes: used.availableBytes ?? { value: UNLIMITED },
      psi: undefined,
    },
    writableLayer: writableLayer ?? { ...NO_FILES, timestamp: now },
    swap: {
      timestamp: memory?.timestamp ?? now,
      swapAvailableBytes: { value: UNLIMITED },
      swapUsageBytes: used.usageBytes,
    },
    io: undefined,
  };
}

/** A sandbox has only its network stats, and none once it is stopped; the loopback interface comes first. */
const shownPodStats = (
  { linux, ...stats }: PodSandboxStats,
  container: ShownStats['container'],
): PodSandboxStats => ({
  ...stats,
  linux: linux && {
    cpu: undefined,
    memory: undefined,
    process: undefined,
    io: undefined,
    network: linux.network && {
      timestamp: 0n,
      defaultInterface: LOOPBACK,
      interfaces: linux.network.defaultInterface ? [linux.network.defaultInterface] : [],
    },
    containers: linux.containers.map(container),
  },
});

const ZERO = { value: 0n };

/** The value of an unlimited cgroup. */
const UNLIMITED = 9_223_372_036_854_771_712n;

const NO_MEMORY: MemoryUsage = {
  timestamp: 0n,
  workingSetBytes: ZERO,
  availableBytes: undefined,
  usageBytes: ZERO,
  rssBytes: ZERO,
  pageFaults: ZERO,
  majorPageFaults: ZERO,
  psi: undefined,
};

const NO_FILES: FilesystemUsage = {
  timestamp: 0n,
  fsId: { mountpoint: '/var/lib/containers/storage/overlay' },
  usedBytes: ZERO,
  inodesUsed: ZERO,
};

const LOOPBACK: NetworkInterfaceUsage = {
  name: 'lo',
  rxBytes: ZERO,
  rxErrors: ZERO,
  txBytes: ZERO,
  txErrors: ZERO,
};
