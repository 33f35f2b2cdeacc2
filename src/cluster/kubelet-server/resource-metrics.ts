import type { NodeUse, Usage } from './usage.js';

interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  /** Unix nanoseconds; 0 for none. */
  readonly time: bigint;
}

const NANOS_PER_SECOND = 1e9;

/** The reply of /metrics/resource, which metrics-server reads (metrics/collectors/resource_metrics.go). */
export function resourceMetrics(nodes: readonly NodeUse[]): string {
  const pods = nodes
    .flatMap((node) => node.pods)
    .map((pod) => ({ pod, labels: { namespace: pod.namespace, pod: pod.name } }));
  const containers = pods.flatMap(({ pod, labels }) =>
    pod.containers.map((container) => ({ container, labels: { container: container.name, ...labels } })),
  );
  const cpu = ({ cpuNanos, time }: Usage) => ({ value: Number(cpuNanos) / NANOS_PER_SECOND, time });
  const memory = ({ workingSet, time }: Usage) => ({ value: Number(workingSet), time });
  const measured = ({ time }: Usage) => time > 0n;
  const running = containers.filter(({ container }) => container.startedAt > 0n);
  const measuredContainers = containers.filter(({ container }) => measured(container));
  const measuredPods = pods.filter(({ pod }) => measured(pod));
  const families: readonly Family[] = [
    [
      'container_cpu_usage_seconds_total',
      'counter',
      'Cumulative cpu time consumed by the container in core-seconds',
      measuredContainers.map(({ container, labels }) => ({ labels, ...cpu(container) })),
    ],
    [
      'container_memory_working_set_bytes',
      'gauge',
      'Current working set of the container in bytes',
      measuredContainers.map(({ container, labels }) => ({ labels, ...memory(container) })),
    ],
    [
      'container_start_time_seconds',
      'gauge',
      'Start time of the container since unix epoch in seconds',
      running.map(({ container, labels }) => ({
        labels,
        value: Number(container.startedAt) / NANOS_PER_SECOND,
        time: 0n,
      })),
    ],
    [
      'node_cpu_usage_seconds_total',
      'counter',
      'Cumulative cpu time consumed by the node in core-seconds',
      nodes.map((node) => ({ labels: {}, ...cpu(node) })),
    ],
    [
      'node_memory_working_set_bytes',
      'gauge',
      'Current working set of the node in bytes',
      nodes.map((node) => ({ labels: {}, ...memory(node) })),
    ],
    [
      'pod_cpu_usage_seconds_total',
      'counter',
      'Cumulative cpu time consumed by the pod in core-seconds',
      measuredPods.map(({ pod, labels }) => ({ labels, ...cpu(pod) })),
    ],
    [
      'pod_memory_working_set_bytes',
      'gauge',
      'Current working set of the pod in bytes',
      measuredPods.map(({ pod, labels }) => ({ labels, ...memory(pod) })),
    ],
    [
      'resource_scrape_error',
      'gauge',
      '1 if there was an error while getting container metrics, 0 otherwise',
      [{ labels: {}, value: 0, time: 0n }],
    ],
  ];
  return families.map(familyText).join('');
}

type Family = readonly [name: string, type: 'counter' | 'gauge', help: string, samples: readonly Sample[]];

function familyText([name, type, help, samples]: Family): string {
  if (samples.length === 0) return '';
  const lines = samples.map(({ labels, value, time }) => {
    const pairs = Object.entries(labels).map(([key, text]) => `${key}=${JSON.stringify(text)}`);
    const names = pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
    return `${name}${names} ${value}${time === 0n ? '' : ` ${time / 1_000_000n}`}\n`;
  });
  return `# HELP ${name} [STABLE] ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}
