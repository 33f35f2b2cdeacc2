import type Dockerode from 'dockerode';
import type { ContainerInspectInfo, ContainerStats } from 'dockerode';
import type { FilesystemUsage, NetworkInterfaceUsage } from '../../../src/cri/gen/runtime/v1/api.js';
import type { ContainerUsage, SandboxUsage } from '../../../src/runtime/engine/backend/usage.js';
import type { Context } from '../context.js';
import { unlessMissing } from '../errors.js';
import { parseTime } from '../times.js';

/** Undefined when the container isn't running. */
export async function measure(container: Dockerode.Container): Promise<ContainerStats | undefined> {
  const once = { stream: false, 'one-shot': true } as const;
  const stats = await unlessMissing(container.stats(once));
  return stats === undefined || parseTime(stats.read as unknown as string) === 0n ? undefined : stats;
}

type Common = Pick<ContainerUsage, 'cpu' | 'memory'>;

function common(stats: ContainerStats): Common {
  const timestamp = parseTime(stats.read as unknown as string);
  const { usage = 0, limit = 0, stats: detail } = stats.memory_stats;
  const memory = detail as unknown as Readonly<Record<string, number | undefined>> | undefined;
  const figure = (v1: string, v2: string) => memory?.[v1] ?? memory?.[v2] ?? 0;
  const working = Math.max(0, usage - figure('total_inactive_file', 'inactive_file'));
  const isLimited = limit > 0 && limit < 2 ** 52;
  return {
    cpu: {
      timestamp,
      usageCoreNanoSeconds: { value: BigInt(stats.cpu_stats.cpu_usage.total_usage) },
      usageNanoCores: undefined,
      psi: undefined,
    },
    memory: {
      timestamp,
      workingSetBytes: { value: BigInt(working) },
      availableBytes: isLimited ? { value: BigInt(Math.max(0, limit - working)) } : undefined,
      usageBytes: { value: BigInt(usage) },
      rssBytes: { value: BigInt(figure('total_rss', 'anon')) },
      pageFaults: { value: BigInt(figure('total_pgfault', 'pgfault')) },
      majorPageFaults: { value: BigInt(figure('total_pgmajfault', 'pgmajfault')) },
      psi: undefined,
    },
  };
}

/** Converts Docker's stats, in bytes and nanoseconds. */
export function containerUsage(stats: ContainerStats, writableLayer: FilesystemUsage): ContainerUsage {
  const base = common(stats);
  const { timestamp } = base.cpu;
  return {
    ...base,
    swap: { timestamp, swapAvailableBytes: { value: 0n }, swapUsageBytes: { value: swapOf(stats) } },
    writableLayer,
  };
}

function swapOf({ memory_stats: { stats } }: ContainerStats): bigint {
  const figures = stats as unknown as Readonly<Record<string, number | undefined>> | undefined;
  return BigInt(figures?.total_swap ?? 0);
}

/** The sum of what two have used. */
function together({ cpu, memory }: Common, other: Common): Common {
  const sum = (name: 'workingSetBytes' | 'usageBytes' | 'rssBytes' | 'pageFaults' | 'majorPageFaults') => ({
    value: (memory[name]?.value ?? 0n) + (other.memory[name]?.value ?? 0n),
  });
  const used = (cpu.usageCoreNanoSeconds?.value ?? 0n) + (other.cpu.usageCoreNanoSeconds?.value ?? 0n);
  return {
    cpu: { ...cpu, usageCoreNanoSeconds: { value: used } },
    memory: {
      ...memory,
      ...{
        workingSetBytes: sum('workingSetBytes'),
        usageBytes: sum('usageBytes'),
        rssBytes: sum('rssBytes'),
      },
      ...{ pageFaults: sum('pageFaults'), majorPageFaults: sum('majorPageFaults') },
    },
  };
}

/** Usage of the sandbox's own process and its containers; network usage is the whole pod's. */
export function sandboxUsage(stats: ContainerStats, containers: readonly ContainerStats[]): SandboxUsage {
  const base = containers.map(common).reduce(together, common(stats));
  const { timestamp } = base.cpu;
  const interfaces = Object.entries(stats.networks ?? {}).map(
    ([name, figures]): NetworkInterfaceUsage => ({
      name,
      rxBytes: { value: BigInt(figures.rx_bytes) },
      rxErrors: { value: BigInt(figures.rx_errors) },
      txBytes: { value: BigInt(figures.tx_bytes) },
      txErrors: { value: BigInt(figures.tx_errors) },
    }),
  );
  return {
    ...base,
    network: { timestamp, defaultInterface: interfaces[0], interfaces: interfaces.slice(1) },
    process: {
      timestamp,
      processCount: {
        value: BigInt(
          [stats, ...containers].reduce((sum, { pids_stats }) => sum + (pids_stats?.current ?? 0), 0),
        ),
      },
    },
  };
}

/** `size=1` adds the field. */
type Sized = ContainerInspectInfo & { readonly SizeRw?: number };

/** Docker adds up the files in the container's layer, and has no count of inodes. */
export async function writableLayer(
  { clock, rootDirectory }: Context,
  container: Dockerode.Container,
): Promise<FilesystemUsage> {
  const measured = container.inspect({ size: true } as never) as unknown as Promise<Sized>;
  const info = await unlessMissing(measured);
  return {
    timestamp: clock.now(),
    fsId: { mountpoint: rootDirectory },
    usedBytes: { value: BigInt(info?.SizeRw ?? 0) },
    inodesUsed: { value: 0n },
  };
}
