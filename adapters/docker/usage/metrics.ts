import type { ContainerStats } from 'dockerode';
import { type Metric, MetricType } from '../../../src/cri/gen/runtime/v1/api.js';
import type { MetricsBackend } from '../../../src/runtime/engine/backend/usage.js';
import type { Context } from '../context.js';
import { toCriError } from '../errors.js';
import type { Pods } from '../pods/pods.js';
import { containerUsage, measure } from './usage.js';

interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: MetricType;
  readonly labels: readonly string[];
  samples(stats: ContainerStats): readonly { readonly labels: readonly string[]; readonly value: bigint }[];
}

/** cAdvisor's labels: the cgroup's id, the container's id and its image. */
const BASE = ['id', 'name', 'image'] as const;

const counter = (name: string, help: string, value: (stats: ContainerStats) => bigint): Family => ({
  ...{ name, help, type: MetricType.COUNTER, labels: [] },
  samples: (stats) => [{ labels: [], value: value(stats) }],
});
const gauge = (name: string, help: string, value: (stats: ContainerStats) => bigint): Family => ({
  ...counter(name, help, value),
  type: MetricType.GAUGE,
});

const noLayer = { timestamp: 0n, fsId: undefined, usedBytes: undefined, inodesUsed: undefined };
const memory = (stats: ContainerStats) => containerUsage(stats, noLayer).memory;

const containerFamilies: readonly Family[] = [
  counter('container_cpu_usage_seconds_total', 'CPU time used, in ns.', ({ cpu_stats }) =>
    BigInt(cpu_stats.cpu_usage.total_usage),
  ),
  counter('container_cpu_user_seconds_total', 'CPU time used in user mode, in ns.', ({ cpu_stats }) =>
    BigInt(cpu_stats.cpu_usage.usage_in_usermode),
  ),
  counter('container_cpu_system_seconds_total', 'CPU time used in the kernel, in ns.', ({ cpu_stats }) =>
    BigInt(cpu_stats.cpu_usage.usage_in_kernelmode),
  ),
  gauge(
    'container_memory_usage_bytes',
    'Memory in use, with caches.',
    (stats) => memory(stats).usageBytes?.value ?? 0n,
  ),
  gauge(
    'container_memory_working_set_bytes',
    'Memory that cannot be reclaimed.',
    (stats) => memory(stats).workingSetBytes?.value ?? 0n,
  ),
  gauge(
    'container_memory_rss',
    'Anonymous memory, in bytes.',
    (stats) => memory(stats).rssBytes?.value ?? 0n,
  ),
  gauge('container_processes', 'Processes.', ({ pids_stats }) => BigInt(pids_stats?.current ?? 0)),
];

const network = (
  figure: 'rx_bytes' | 'tx_bytes' | 'rx_errors' | 'tx_errors',
  name: string,
  help: string,
): Family => ({
  ...{ name, help, type: MetricType.COUNTER, labels: ['interface'] },
  samples: ({ networks }) =>
    Object.entries(networks ?? {}).map(([label, figures]) => ({
      labels: [label],
      value: BigInt(figures[figure]),
    })),
});

const podFamilies: readonly Family[] = [
  network('rx_bytes', 'container_network_receive_bytes_total', 'Bytes received.'),
  network('rx_errors', 'container_network_receive_errors_total', 'Errors while receiving.'),
  network('tx_bytes', 'container_network_transmit_bytes_total', 'Bytes sent.'),
  network('tx_errors', 'container_network_transmit_errors_total', 'Errors while sending.'),
];

/** Requests the stats of all members in parallel; ignores those that have just ended. Throws CriError. */
export function createMetrics(context: () => Context, pods: Pods): MetricsBackend {
  return {
    descriptors: [...containerFamilies, ...podFamilies].map(({ name, help, labels }) => ({
      ...{ name, help, labelKeys: [...BASE, ...labels] },
    })),
    collect: async (sandboxId) => {
      const members = [...pods.containers.values()].filter(
        ({ spec, isRunning }) => isRunning && spec.sandboxId === sandboxId,
      );
      try {
        const sandbox = await measure(pods.sandbox(sandboxId).docker);
        const measured = await Promise.all(
          members.map(async ({ spec, docker }) => [spec, await measure(docker)] as const),
        );
        const { clock } = context();
        const now = clock.now();
        const pod = sandbox ? metricsOf(podFamilies, sandbox, [sandboxId, sandboxId, ''], now) : [];
        const containers = measured.flatMap(([{ id, image }, stats]) =>
          stats
            ? [
                [
                  id,
                  metricsOf(containerFamilies, stats, [id, id, image.repoTags[0] ?? image.id], now),
                ] as const,
              ]
            : [],
        );
        return { pod, containers: new Map(containers) };
      } catch (error) {
        throw toCriError(error, 'measuring the pod');
      }
    },
  };
}

function metricsOf(
  families: readonly Family[],
  stats: ContainerStats,
  base: readonly string[],
  timestamp: bigint,
): Metric[] {
  return families.flatMap(({ name, type, samples }) =>
    samples(stats).map(({ labels, value }) => ({
      ...{ name, timestamp, metricType: type, labelValues: [...base, ...labels], value: { value } },
    })),
  );
}
