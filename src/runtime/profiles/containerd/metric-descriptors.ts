import type { MetricDescriptor } from '../../../cri/gen/runtime/v1/api.js';

/** What every metric is labeled with. */
export const BASE = ['pod', 'namespace', 'container', 'id', 'image'] as const;

const described = (name: string, help: string, ...labels: string[]): MetricDescriptor => ({
  name,
  help,
  labelKeys: [...BASE, ...labels],
});

/** What ListMetricDescriptors of containerd 2.4.2 answers (recorded). It has the groups in another order each time. */
export const descriptors: readonly MetricDescriptor[] = [
  described('container_processes', 'Number of processes running inside the container.'),
  described('container_file_descriptors', 'Number of open file descriptors for the container.'),
  described('container_sockets', 'Number of open sockets for the container.'),
  described(
    'container_threads_max',
    'Maximum number of threads allowed inside the container, infinity if value is zero',
  ),
  described('container_threads', 'Number of threads running inside the container'),
  described(
    'container_ulimits_soft',
    'Soft ulimit values for the container root process. Unlimited if -1, except priority and nice',
    'ulimit',
  ),
  described('container_last_seen', 'Last time a container was seen by the exporter'),
  described('container_start_time_seconds', 'Start time of the container since unix epoch in seconds'),
  described('container_spec_cpu_period', 'CPU period of the container'),
  described('container_spec_cpu_shares', 'CPU share of the container'),
  described('container_spec_memory_limit_bytes', 'Memory limit for the container'),
  described('container_spec_memory_reservation_limit_bytes', 'Memory reservation limit for the container'),
  described('container_spec_memory_swap_limit_bytes', 'Memory swap limit for the container'),
  described('container_cpu_user_seconds_total', 'Cumulative user CPU time consumed in seconds.'),
  described('container_cpu_system_seconds_total', 'Cumulative system CPU time consumed in seconds.'),
  described('container_cpu_usage_seconds_total', 'Cumulative CPU time consumed in seconds.'),
  described('container_cpu_cfs_periods_total', 'Number of elapsed enforcement period intervals.'),
  described('container_cpu_cfs_throttled_periods_total', 'Number of CPU throttled period intervals.'),
  described(
    'container_cpu_cfs_throttled_seconds_total',
    'Total time duration the container has been throttled.',
  ),
  described(
    'container_memory_cache',
    'Number of bytes of memory used by the container for caching purposes.',
  ),
  described(
    'container_memory_rss',
    'Size of RSS in bytes, total anonymous memory and [swap cache memory used by the container.',
  ),
  described(
    'container_memory_kernel_usage',
    'Size of kernel memory allocated to the container in bytes, includes page tables, socket buffers...',
  ),
  described('container_memory_mapped_file', "Size of container's memory mapped files in bytes."),
  described('container_memory_swap', 'Container swap usage in bytes.'),
  described(
    'container_memory_failcnt',
    'Number of times container memory usage has hit its cgroup v1 upper memory limit, for cg2 this value is not currently supported',
  ),
  described(
    'container_memory_usage_bytes',
    'Current memory usage in bytes, including all memory regardless of when it was accessed',
  ),
  described('container_memory_max_usage_bytes', 'Maximum container memory usage recorded in bytes'),
  described(
    'container_memory_working_set_bytes',
    'Amount of memory that is actively used by the container, excluding cached memory.',
  ),
  described(
    'container_memory_total_active_file_bytes',
    'Amount of cache memory bytes, in use by the container, in file on disk.',
  ),
  described(
    'container_memory_total_inactive_file_bytes',
    'Amount of inactive cache memory bytes, for the container, in file on disk.',
  ),
  described(
    'container_memory_failures_total',
    'Cumulative count of container memory allocation failures.',
    'failure_type',
    'scope',
  ),
  described('container_oom_events_total', 'Count of out of memory events observed for the container'),
  described('container_network_receive_bytes_total', 'Cumulative count of bytes received', 'interface'),
  described('container_network_receive_packets_total', 'Cumulative count of packets received', 'interface'),
  described(
    'container_network_receive_packets_dropped_total',
    'Cumulative count of packets dropped while receiving',
    'interface',
  ),
  described(
    'container_network_receive_errors_total',
    'Cumulative count of errors encountered while receiving',
    'interface',
  ),
  described('container_network_transmit_bytes_total', 'Cumulative count of bytes transmitted', 'interface'),
  described(
    'container_network_transmit_packets_total',
    'Cumulative count of packets transmitted',
    'interface',
  ),
  described(
    'container_network_transmit_packets_dropped_total',
    'Cumulative count of packets dropped while transmitting',
    'interface',
  ),
  described(
    'container_network_transmit_errors_total',
    'Cumulative count of errors encountered while transmitting',
    'interface',
  ),
  described('container_fs_inodes_free', 'Number of available Inodes', 'device'),
  described('container_fs_inodes_total', 'Number of Inodes', 'device'),
  described(
    'container_fs_limit_bytes',
    'Number of bytes that can be consumed by the container on this filesystem.',
    'device',
  ),
  described(
    'container_fs_usage_bytes',
    'Number of bytes that are consumed by the container on this filesystem.',
    'device',
  ),
  described('container_fs_reads_bytes_total', 'Cumulative count of bytes read', 'device'),
  described('container_fs_reads_total', 'Cumulative count of reads completed', 'device'),
  described('container_fs_writes_bytes_total', 'Cumulative count of bytes written', 'device'),
  described('container_fs_writes_total', 'Cumulative count of writes completed', 'device'),
  described(
    'container_blkio_device_usage_total',
    'Blkio device bytes usage',
    'device',
    'major',
    'minor',
    'operation',
  ),
];
