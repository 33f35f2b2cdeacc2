import type { Clock } from '../../../base/clock/clock.js';
import {
  type Container,
  type ContainerMetrics,
  ContainerStatusResponse,
  type LinuxContainerResources,
  ListContainersResponse,
  ListPodSandboxMetricsResponse,
  ListPodSandboxResponse,
  type Metric,
  MetricType,
  NamespaceMode,
  type PodSandbox,
  type PodSandboxMetrics,
  PodSandboxStatusResponse,
} from '../../../cri/gen/runtime/v1/api.js';
import type { Call, CriService } from '../../../cri/service.js';
import { decoded } from '../decoded.js';
import { recordedDescriptors } from '../recorded.js';

/** Metrics of a pod outside the host's network, in this order. */
const OF_PODS = ['receive', 'transmit'].flatMap((direction) =>
  ['bytes', 'packets', 'packets_dropped', 'errors'].map(
    (what) => `container_network_${direction}_${what}_total`,
  ),
);

/** Metrics of a running container, in this order; without those of disks, which depend on the machine. */
const OF_CONTAINERS = [
  ...['last_seen', 'start_time_seconds'],
  ...['cpu_usage_seconds_total', 'cpu_user_seconds_total', 'cpu_system_seconds_total'],
  ...['cpu_cfs_periods_total', 'cpu_cfs_throttled_periods_total', 'cpu_cfs_throttled_seconds_total'],
  ...['memory_usage_bytes', 'memory_working_set_bytes', 'memory_max_usage_bytes', 'memory_rss'],
  ...['memory_cache', 'memory_mapped_file', 'memory_total_active_file_bytes'],
  ...['memory_total_inactive_file_bytes', 'memory_failures_total', 'memory_kernel_usage', 'memory_swap'],
  ...['memory_failcnt', 'oom_events_total', 'fs_usage_bytes', 'fs_limit_bytes', 'fs_inodes_total'],
  ...['fs_inodes_free', 'processes', 'threads_max', 'threads', 'file_descriptors', 'sockets'],
].map((name) => `container_${name}`);

/** Metrics that the engine has in nanoseconds. */
const NANOSECONDS = /^container_cpu_.*_seconds_total$/;
const SECOND = 1_000_000_000n;

/** Labels of the engine before those of the metric. */
const ENGINE_LABELS = 3;
/** Labels of every metric: pod, namespace, container, id, image. */
const BASE_LABELS = 5;

/** Values of a Go map, whose order differs each time: each iteration begins with the next value. */
function unordered<T>(items: readonly T[]): () => T[] {
  let looks = 0;
  return () => {
    const first = looks++ % items.length;
    return [...items.slice(first), ...items.slice(0, first)];
  };
}

/** containerd returns the groups in a different order each time. */
const descriptors = recordedDescriptors('containerd/metric-descriptors-2.4.json');

export interface MetricFacts {
  /** Whether a container that isn't running removes its whole pod from the list. */
  readonly needsAll: boolean;
  readonly threads: boolean;
  /** Whether container_start_time_seconds is in nanoseconds. */
  readonly longStart: boolean;
}

type MetricsService = Pick<CriService, 'listMetricDescriptors' | 'listPodSandboxMetrics'>;

/** cAdvisor's metrics as in containerd since 2.2 (list_pod_sandbox_metrics_linux.go), from the engine's. */
export function containerdMetrics(engine: CriService, clock: Clock, facts: MetricFacts): MetricsService {
  const names = OF_CONTAINERS.filter((name) => facts.threads || name !== 'container_threads');
  const shownDescriptors = unordered(descriptors());
  const ownLabels = new Map(
    descriptors().map(({ name, labelKeys }) => [name, labelKeys.length - BASE_LABELS]),
  );

  async function networkOf(pod: PodSandbox, given: readonly Metric[], call: Call): Promise<Metric[]> {
    const reply = await engine.podSandboxStatus({ podSandboxId: pod.id, verbose: false }, call);
    const { status } = decoded(PodSandboxStatusResponse, reply);
    if (status?.linux?.namespaces?.options?.network === NamespaceMode.NODE) return [];
    const { name = '', namespace = '' } = pod.metadata ?? {};
    return inOrder(OF_PODS, given, clock.now(), () => [name, namespace, '', pod.id, '', 'eth0']);
  }

  async function metricsOf(container: Container, pod: PodSandbox, given: readonly Metric[], call: Call) {
    const { id, metadata, image } = container;
    const reply = await engine.containerStatus({ containerId: id, verbose: false }, call);
    const { status } = decoded(ContainerStatusResponse, reply);
    const { name = '', namespace = '' } = pod.metadata ?? {};
    const base = [name, namespace, metadata?.name ?? '', id, image?.userSpecifiedImage ?? ''];
    const now = clock.now();
    const used = inOrder(names, withFiles(given), now, ({ name, labelValues }) =>
      name.startsWith('container_fs_')
        ? [...base, '/']
        : [...base, ...labelValues.slice(ENGINE_LABELS, ENGINE_LABELS + (ownLabels.get(name) ?? 0))],
    );
    const start = facts.longStart && status ? status.startedAt : undefined;
    const shown = used.map((metric) =>
      start !== undefined && metric.name === 'container_start_time_seconds'
        ? { ...metric, value: { value: start } }
        : metric,
    );
    return [...shown, ...limits(status?.resources?.linux, base, now)];
  }

  return {
    listMetricDescriptors: () => ({ descriptors: shownDescriptors() }),
    listPodSandboxMetrics: async (request, call) => {
      const reply = await engine.listPodSandboxMetrics(request, call);
      const { podMetrics } = decoded(ListPodSandboxMetricsResponse, reply);
      const pods = decoded(ListPodSandboxResponse, await engine.listPodSandbox({ filter: undefined }, call));
      const { containers: listed } = decoded(
        ListContainersResponse,
        await engine.listContainers({ filter: undefined }, call),
      );
      const podOf = new Map(pods.items.map((pod) => [pod.id, pod]));
      const containerOf = new Map(listed.map((container) => [container.id, container]));
      const shown: PodSandboxMetrics[] = [];
      for (const { podSandboxId, metrics, containerMetrics } of podMetrics) {
        const pod = podOf.get(podSandboxId);
        if (pod === undefined) continue;
        const all = listed.filter((container) => container.podSandboxId === podSandboxId);
        if (facts.needsAll && all.length > containerMetrics.length) continue;
        const containers: ContainerMetrics[] = [];
        for (const { containerId, metrics } of containerMetrics) {
          const container = containerOf.get(containerId);
          if (container === undefined) continue;
          containers.push({ containerId, metrics: await metricsOf(container, pod, metrics, call) });
        }
        const network = await networkOf(pod, metrics, call);
        shown.push({ podSandboxId, metrics: network, containerMetrics: containers });
      }
      return { podMetrics: shown };
    },
  };
}

/** Adds the parts of the cache: all files are active. */
const withFiles = (given: readonly Metric[]): Metric[] =>
  given.flatMap((metric) => {
    if (metric.name !== 'container_memory_cache') return [metric];
    const part = (which: string, value: Metric['value']) => ({
      ...metric,
      name: `container_memory_total_${which}_file_bytes`,
      value,
    });
    return [metric, part('active', metric.value), part('inactive', { value: 0n })];
  });

function limits(
  set: LinuxContainerResources | undefined,
  labelValues: string[],
  timestamp: bigint,
): Metric[] {
  if (set === undefined) return [];
  const given = [
    ['cpu_period', set.cpuPeriod],
    ['cpu_shares', set.cpuShares],
    ['memory_limit_bytes', set.memoryLimitInBytes],
    ['memory_swap_limit_bytes', set.memorySwapLimitInBytes],
  ] as const;
  return given
    .filter(([, value]) => value !== 0n)
    .map(([name, value]) => ({
      name: `container_spec_${name}`,
      timestamp,
      metricType: MetricType.GAUGE,
      labelValues,
      value: { value },
    }));
}

const inOrder = (
  names: readonly string[],
  given: readonly Metric[],
  timestamp: bigint,
  labelsOf: (metric: Metric) => string[],
): Metric[] =>
  names.flatMap((name) =>
    given
      .filter((metric) => metric.name === name && !metric.labelValues.includes('hierarchy'))
      .map((metric) => ({ ...metric, timestamp, labelValues: labelsOf(metric), value: shownValue(metric) })),
  );

const shownValue = ({ name, value }: Metric): Metric['value'] =>
  value && NANOSECONDS.test(name) ? { value: value.value / SECOND } : value;
