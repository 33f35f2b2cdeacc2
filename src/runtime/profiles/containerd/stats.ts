import type {
  ContainerStats,
  CpuUsage,
  FilesystemUsage,
  MemoryUsage,
  PodSandboxStats,
} from '../../../cri/gen/runtime/v1/api.js';

/** Without pressure (PSI) and IO, which cri-api has since v0.33. Always has available memory. */
export const shownStats = ({ cpu, memory, ...stats }: ContainerStats): ContainerStats => ({
  ...stats,
  cpu: cpu && { ...cpu, psi: undefined },
  memory: memory && shownMemory(memory),
  io: undefined,
});

/** Stats for ContainerStats, which computes no rate. */
export const shownOne = (stats: ContainerStats): ContainerStats => {
  const shown = shownStats(stats);
  return { ...shown, cpu: shown.cpu && withoutRate(shown.cpu) };
};

/** Stats of a sandbox: its only interface is also among all of them. */
export const shownPodStats = ({ linux, ...stats }: PodSandboxStats): PodSandboxStats => ({
  ...stats,
  linux: linux && {
    ...linux,
    cpu: linux.cpu && withoutRate(linux.cpu),
    memory: linux.memory && shownMemory(linux.memory),
    network: linux.network && {
      ...linux.network,
      interfaces: linux.network.defaultInterface ? [linux.network.defaultInterface] : [],
    },
    containers: linux.containers.map(shownStats),
    io: undefined,
  },
});

const withoutRate = (cpu: CpuUsage): CpuUsage => ({ ...cpu, usageNanoCores: undefined, psi: undefined });

const shownMemory = (memory: MemoryUsage): MemoryUsage => ({
  ...memory,
  availableBytes: memory.availableBytes ?? { value: 0n },
  psi: undefined,
});

/** Layers are measured every ten seconds (stats_collect_period), in nanoseconds. */
const COLLECT_PERIOD = 10_000_000_000n;
const MOUNTPOINT = '/var/lib/containerd/io.containerd.snapshotter.v1.overlayfs';

/** The writable layer of any container: zero before its first measurement. */
export function shownLayer(
  given: FilesystemUsage | undefined,
  createdAt: bigint,
  now: bigint,
): FilesystemUsage {
  const wasMeasured = now - createdAt >= COLLECT_PERIOD;
  const fsId = { mountpoint: MOUNTPOINT };
  if (wasMeasured && given !== undefined) return { ...given, fsId };
  return { timestamp: wasMeasured ? now : 0n, fsId, usedBytes: { value: 0n }, inodesUsed: { value: 0n } };
}
