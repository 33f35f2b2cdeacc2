import { MetricType } from '../../../src/cri/gen/runtime/v1/api.js';
import type { UsageSource } from './usage.js';

/** Labels of every metric: the cgroup's id, the container's id and its image (cAdvisor). */
export const BASE_LABELS = ['id', 'name', 'image'] as const;

export interface MetricSource extends UsageSource {
  readonly processes: number;
  readonly oomKills: number;
  /** cgroup v1's shares: 1024 for one core. */
  readonly cpuShares: number;
  /** Microseconds per period; 0 for no limit. */
  readonly cpuQuota: number;
  /** Microseconds. */
  readonly cpuPeriod: number;
}

export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type: MetricType;
  readonly labels: readonly string[];
  /** One sample per list of label values. */
  readonly values: readonly (readonly string[])[];
  value(source: MetricSource, labels: readonly string[]): number;
}

type Value = (source: MetricSource, labels: readonly string[]) => number;

const family =
  (type: MetricType) =>
  (
    name: string,
    help: string,
    value: Value,
    labels: readonly string[] = [],
    values: readonly string[][] = [[]],
  ) =>
    ({ name: `container_${name}`, help, type, labels, values, value }) satisfies MetricFamily;
const counter = family(MetricType.COUNTER);
const gauge = family(MetricType.GAUGE);

const device: [readonly string[], readonly string[][]] = [['device'], [['/dev/sda']]];

const seconds = ({ now, startedAt }: UsageSource): number => Number(now - startedAt) / 1e9;
const zero: Value = () => 0;
const FS_SIZE = 100 * 2 ** 30;
const INODES = 6_553_600;

/** cAdvisor's names, as containerd and CRI-O report them. */
export const containerFamilies: readonly MetricFamily[] = [
  counter('cpu_usage_seconds_total', 'CPU time used, in ns.', ({ cpu }) => cpu, ['cpu'], [['total']]),
  counter('cpu_user_seconds_total', 'CPU time used in user mode, in ns.', (source) => source.cpu * 0.7),
  counter('cpu_system_seconds_total', 'CPU time used in the kernel, in ns.', (source) => source.cpu * 0.3),
  counter('cpu_cfs_periods_total', 'Periods of the CPU quota that have passed.', (source) =>
    source.cpuQuota > 0 ? seconds(source) * 10 : 0,
  ),
  counter('cpu_cfs_throttled_periods_total', 'Periods in which the container was throttled.', zero),
  counter('cpu_cfs_throttled_seconds_total', 'Time for which the container was throttled, in ns.', zero),
  gauge('spec_cpu_period', 'Period of the CPU quota, in µs.', ({ cpuPeriod }) => cpuPeriod),
  gauge('spec_cpu_quota', 'CPU quota, in µs.', ({ cpuQuota }) => Math.max(0, cpuQuota)),
  gauge('spec_cpu_shares', 'Share of the CPU.', ({ cpuShares }) => cpuShares),
  gauge('memory_usage_bytes', 'Memory in use, with caches.', (source) => source.memory * 1.1),
  gauge('memory_working_set_bytes', 'Memory that cannot be reclaimed.', ({ memory }) => memory),
  gauge('memory_rss', 'Anonymous memory, in bytes.', (source) => source.memory * 0.9),
  gauge('memory_cache', 'Page cache, in bytes.', (source) => source.memory * 0.1),
  gauge('memory_mapped_file', 'Memory-mapped files, in bytes.', (source) => source.memory * 0.05),
  gauge('memory_swap', 'Swap in use, in bytes.', zero),
  gauge(
    'memory_kernel_usage',
    'Memory that the kernel uses for the container.',
    (source) => source.memory * 0.02,
  ),
  gauge('memory_max_usage_bytes', 'Most memory ever used.', (source) => source.memory * 1.1),
  counter('memory_failcnt', 'Times that the memory limit was hit.', zero),
  counter(
    'memory_failures_total',
    'Page faults.',
    (source, [kind]) => (kind === 'pgfault' ? source.memory / 4096 : 0),
    ['failure_type', 'scope'],
    [
      ['pgfault', 'container'],
      ['pgmajfault', 'container'],
      ['pgfault', 'hierarchy'],
      ['pgmajfault', 'hierarchy'],
    ],
  ),
  gauge('spec_memory_limit_bytes', 'Memory limit; 0 for none.', ({ memoryLimit }) => memoryLimit ?? 0),
  gauge('spec_memory_reservation_limit_bytes', 'Memory reserved; 0 for none.', zero),
  gauge('spec_memory_swap_limit_bytes', 'Limit of memory and swap; 0 for none.', zero),
  counter('oom_events_total', 'Processes killed for lack of memory.', ({ oomKills }) => oomKills),
  gauge('hugetlb_usage_bytes', 'Huge pages in use.', zero, ['pagesize'], [['2MB']]),
  gauge('hugetlb_max_usage_bytes', 'Most huge pages ever used.', zero, ['pagesize'], [['2MB']]),
  counter(
    'blkio_device_usage_total',
    'Bytes read and written.',
    zero,
    ['device', 'major', 'minor', 'operation'],
    [
      ['/dev/sda', '8', '0', 'Read'],
      ['/dev/sda', '8', '0', 'Write'],
    ],
  ),
  gauge(
    'fs_usage_bytes',
    'Bytes in the container’s own layer.',
    ({ written }) => 4096 + written.bytes,
    ...device,
  ),
  gauge('fs_limit_bytes', 'Size of the file system.', () => FS_SIZE, ...device),
  gauge('fs_inodes_total', 'Inodes of the file system.', () => INODES, ...device),
  gauge('fs_inodes_free', 'Inodes that are free.', ({ written }) => INODES - 4 - written.files, ...device),
  counter('fs_reads_total', 'Reads from the file system.', (source) => seconds(source) / 10, ...device),
  counter('fs_writes_total', 'Writes to the file system.', (source) => seconds(source) / 20, ...device),
  counter('fs_reads_bytes_total', 'Bytes read.', (source) => seconds(source) * 100, ...device),
  counter('fs_writes_bytes_total', 'Bytes written.', (source) => seconds(source) * 50, ...device),
  gauge('processes', 'Processes.', ({ processes }) => processes),
  gauge('threads', 'Threads.', ({ processes }) => processes),
  gauge('threads_max', 'Threads allowed; 0 for no limit.', zero),
  gauge('file_descriptors', 'Open files.', ({ processes }) => processes * 3),
  gauge('sockets', 'Open sockets.', zero),
  gauge(
    'ulimits_soft',
    'Soft limits of the main process.',
    () => 1_048_576,
    ['ulimit'],
    [['max_open_files']],
  ),
  gauge('start_time_seconds', 'When the container started, in Unix seconds.', ({ startedAt }) =>
    Number(startedAt / 1_000_000_000n),
  ),
  gauge('last_seen', 'When the container was last seen, in Unix seconds.', ({ now }) =>
    Number(now / 1_000_000_000n),
  ),
  ...['cpu', 'io', 'memory'].flatMap((resource) => [
    counter(
      `pressure_${resource}_stalled_seconds_total`,
      `Time in which all tasks waited for ${resource}.`,
      zero,
    ),
    counter(
      `pressure_${resource}_waiting_seconds_total`,
      `Time in which some task waited for ${resource}.`,
      zero,
    ),
  ]),
];

const network: readonly MetricFamily[] = ['receive', 'transmit'].flatMap((direction) => {
  const rate = direction === 'receive' ? 120 : 80;
  const make = (name: string, help: string, value: Value) =>
    counter(`network_${direction}_${name}_total`, help, value, ['interface'], [['eth0']]);
  return [
    make('bytes', `Bytes in direction ${direction}.`, (source) => seconds(source) * rate),
    make('packets', `Packets in direction ${direction}.`, (source) => (seconds(source) * rate) / 100),
    make('packets_dropped', `Packets dropped in direction ${direction}.`, zero),
    make('errors', `Errors in direction ${direction}.`, zero),
  ];
});

/** The network is the pod's. */
export const podFamilies: readonly MetricFamily[] = network;
