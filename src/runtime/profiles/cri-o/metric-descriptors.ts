import type { MetricDescriptor } from '../../../cri/gen/runtime/v1/api.js';

/** What ListMetricDescriptors of CRI-O 1.34.0 answers (recorded), by name. */
export const descriptors: readonly MetricDescriptor[] = [
  {
    name: 'container_cpu_cfs_periods_total',
    help: 'Number of elapsed enforcement period intervals.',
    labelKeys: ['id', 'name', 'image'],
  },
  {
    name: 'container_cpu_cfs_throttled_periods_total',
    help: 'Number of throttled period intervals.',
    labelKeys: ['id', 'name', 'image'],
  },
  {
    name: 'container_cpu_cfs_throttled_seconds_total',
    help: 'Total time duration the container has been throttled.',
    labelKeys: ['id', 'name', 'image'],
  },
  {
    name: 'container_cpu_system_seconds_total',
    help: 'Cumulative system CPU time consumed in seconds.',
    labelKeys: ['id', 'name', 'image'],
  },
  {
    name: 'container_cpu_usage_seconds_total',
    help: 'Cumulative CPU time consumed in seconds.',
    labelKeys: ['id', 'name', 'image', 'cpu'],
  },
  {
    name: 'container_cpu_user_seconds_total',
    help: 'Cumulative user CPU time consumed in seconds.',
    labelKeys: ['id', 'name', 'image'],
  },
  {
    name: 'container_memory_cache',
    help: 'Number of bytes of page cache memory.',
    labelKeys: ['id', 'name', 'image'],
  },
  {
    name: 'container_memory_failcnt',
    help: 'Number of memory usage hits limits',
    labelKeys: ['id', 'name', 'image'],
  },
  {
    name: 'container_memory_failures_total',
    help: 'Cumulative count of memory allocation failures.',
    labelKeys: ['id', 'name', 'image', 'failure_type', 'scope'],
  },
  {
    name: 'container_memory_kernel_usage',
    help: 'Size of kernel memory allocated in bytes.',
    labelKeys: ['id', 'name', 'image'],
  },
  {
    name: 'container_memory_mapped_file',
    help: 'Size of memory mapped files in bytes.',
    labelKeys: ['id', 'name', 'image'],
  },
  {
    name: 'container_memory_max_usage_bytes',
    help: 'Maximum memory usage recorded in bytes',
    labelKeys: ['id', 'name', 'image'],
  },
  {
    name: 'container_memory_rss',
    help: 'Size of RSS in bytes.',
    labelKeys: ['id', 'name', 'image'],
  },
  {
    name: 'container_memory_swap',
    help: 'Container swap usage in bytes.',
    labelKeys: ['id', 'name', 'image'],
  },
  {
    name: 'container_memory_usage_bytes',
    help: 'Current memory usage in bytes, including all memory regardless of when it was accessed',
    labelKeys: ['id', 'name', 'image'],
  },
  {
    name: 'container_memory_working_set_bytes',
    help: 'Current working set in bytes.',
    labelKeys: ['id', 'name', 'image'],
  },
  {
    name: 'container_network_receive_bytes_total',
    help: 'Cumulative count of bytes received',
    labelKeys: ['id', 'name', 'image', 'interface'],
  },
  {
    name: 'container_network_receive_errors_total',
    help: 'Cumulative count of errors encountered while receiving',
    labelKeys: ['id', 'name', 'image', 'interface'],
  },
  {
    name: 'container_network_receive_packets_dropped_total',
    help: 'Cumulative count of packets dropped while receiving',
    labelKeys: ['id', 'name', 'image', 'interface'],
  },
  {
    name: 'container_network_receive_packets_total',
    help: 'Cumulative count of packets received',
    labelKeys: ['id', 'name', 'image', 'interface'],
  },
  {
    name: 'container_network_transmit_bytes_total',
    help: 'Cumulative count of bytes transmitted',
    labelKeys: ['id', 'name', 'image', 'interface'],
  },
  {
    name: 'container_network_transmit_errors_total',
    help: 'Cumulative count of errors encountered while transmitting',
    labelKeys: ['id', 'name', 'image', 'interface'],
  },
  {
    name: 'container_network_transmit_packets_dropped_total',
    help: 'Cumulative count of packets dropped while transmitting',
    labelKeys: ['id', 'name', 'image', 'interface'],
  },
  {
    name: 'container_network_transmit_packets_total',
    help: 'Cumulative count of packets transmitted',
    labelKeys: ['id', 'name', 'image', 'interface'],
  },
  {
    name: 'container_oom_events_total',
    help: 'Count of out of memory events observed for the container',
    labelKeys: ['id', 'name', 'image'],
  },
  {
    name: 'container_spec_memory_limit_bytes',
    help: 'Memory limit for the container in bytes.',
    labelKeys: ['id', 'name', 'image'],
  },
];

/** The only one that CRI-O 1.36 has by default. */
export const LAST_SEEN: MetricDescriptor = {
  name: 'container_last_seen',
  help: 'Last time a container was seen by the exporter',
  labelKeys: ['id', 'name', 'image'],
};
