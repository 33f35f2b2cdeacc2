import type { Metric } from '../../../src/cri/gen/runtime/v1/api.js';
import type { MetricsBackend } from '../../../src/runtime/engine/backend/usage.js';
import type { MemoryContainer } from '../containers/container.js';
import type { MemoryNode } from '../node.js';
import type { MemoryPod } from '../pods/pod.js';
import {
  BASE_LABELS,
  containerFamilies,
  type MetricFamily,
  type MetricSource,
  podFamilies,
} from './metric-families.js';
import type { UsageSource } from './usage.js';

export function createMemoryMetrics(node: MemoryNode): MetricsBackend {
  return {
    descriptors: [...containerFamilies, ...podFamilies].map(({ name, help, labels }) => ({
      name,
      help,
      labelKeys: [...BASE_LABELS, ...labels],
    })),
    collect: async (sandboxId) => {
      const pod = node.readyPod(sandboxId);
      if (pod === undefined) return { pod: [], containers: new Map() };
      const containers = new Map(pod.containers.flatMap(containerMetrics));
      return { pod: podMetrics(pod), containers };
    },
  };
}

function podMetrics(pod: MemoryPod): Metric[] {
  return measure(podFamilies, sourceOf(pod.usage(), { processes: 1, oomKills: 0 }), [
    `/pods/${pod.id}`,
    pod.id,
    '',
  ]);
}

function containerMetrics(container: MemoryContainer): [string, Metric[]][] {
  const usage = container.usage();
  if (usage === undefined) return [];
  const { id, pod, image, oomKills } = container;
  const counts = { processes: container.processes().length, oomKills };
  const source = sourceOf(usage, counts, container.resources.linux);
  return [[id, measure(containerFamilies, source, [`/pods/${pod.id}/${id}`, id, image?.id ?? ''])]];
}

function sourceOf(
  usage: UsageSource,
  counts: Pick<MetricSource, 'processes' | 'oomKills'>,
  limits?: { readonly cpuShares: bigint; readonly cpuQuota: bigint; readonly cpuPeriod: bigint },
): MetricSource {
  const { cpuShares = 0n, cpuQuota = 0n, cpuPeriod = 0n } = limits ?? {};
  return {
    ...usage,
    ...counts,
    cpuShares: Number(cpuShares) || 1024,
    cpuQuota: Number(cpuQuota),
    cpuPeriod: Number(cpuPeriod) || 100_000,
  };
}

/** Timestamp 0 marks a current value (cri-api Metric). */
function measure(families: readonly MetricFamily[], source: MetricSource, base: readonly string[]): Metric[] {
  return families.flatMap(({ name, type, values, value }) =>
    values.map((labels) => ({
      name,
      timestamp: 0n,
      metricType: type,
      labelValues: [...base, ...labels],
      value: { value: BigInt(Math.round(value(source, labels))) },
    })),
  );
}
