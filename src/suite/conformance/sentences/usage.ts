import { KERNEL, NAMES, RUNTIMES, type Sentences } from './holder.js';

/** The sentences of stats, metrics and file systems. */
export const usage: Sentences = {
  MetricType: {
    "How a metric's value develops.": NAMES,
  },
  'MetricType.COUNTER': {
    'Never falls while the container lives.': ['INV-48.moves'],
  },
  'MetricType.GAUGE': {
    'May go either way.': RUNTIMES,
  },
  PodSandboxStatsRequest: {
    'Names the sandbox to measure.': NAMES,
  },
  PodSandboxStatsResponse: {
    'What the sandbox uses.': NAMES,
  },
  PodSandboxStatsFilter: {
    'Which sandboxes: those that match every part that is given.': ['INV-48.pod-filter'],
  },
  ListPodSandboxStatsRequest: {
    'Says which sandboxes to measure; all by default.': ['INV-57.ListPodSandboxStats'],
  },
  ListPodSandboxStatsResponse: {
    'What each sandbox uses.': ['INV-57.others-stats'],
  },
  StreamPodSandboxStatsRequest: {
    'Says which sandboxes to measure; all by default.': ['INV-20.StreamPodSandboxStats'],
  },
  StreamPodSandboxStatsResponse: {
    'What some of the sandboxes use; never none.': ['INV-20.StreamPodSandboxStats'],
  },
  PodSandboxAttributes: {
    'Which sandbox a measurement belongs to.': ['INV-48.pod'],
  },
  'PodSandboxStats.linux': {
    'Not together with windows.': ['INV-48.pod'],
  },
  LinuxPodSandboxStats: {
    'What a pod uses, containers and overhead together.': ['INV-48.pod'],
  },
  'LinuxPodSandboxStats.containers': {
    'Each container by itself.': ['INV-48.pod', 'INV-57.others-stats'],
  },
  NetworkUsage: {
    'Traffic of a sandbox.': ['INV-62.network-usage'],
  },
  'NetworkUsage.timestamp': {
    'Unix nanoseconds at which it was measured; above 0.': ['INV-58.pod-stats'],
  },
  'NetworkUsage.default_interface': {
    'The one that carries the default route.': ['INV-62.network-usage'],
  },
  'NetworkUsage.interfaces': {
    'The others.': ['INV-62.network-usage'],
  },
  NetworkInterfaceUsage: {
    'Traffic of one interface since it came up.': ['INV-62.network-usage'],
  },
  ProcessUsage: {
    'Processes of a sandbox.': ['INV-58.pod-stats'],
  },
  'ProcessUsage.timestamp': {
    'Unix nanoseconds at which it was measured; above 0.': ['INV-58.pod-stats'],
  },
  UInt64Value: {
    'A number that can also be absent.': NAMES,
  },
  FilesystemIdentifier: {
    'Names a file system.': NAMES,
  },
  FilesystemUsage: {
    'What is used of a file system.': ['INV-41.fs-info'],
  },
  'FilesystemUsage.timestamp': {
    'Unix nanoseconds at which it was measured; above 0.': ['INV-41.fs-info', 'INV-58.stats'],
  },
  ContainerStatsRequest: {
    'Names the container to measure.': NAMES,
  },
  ContainerStatsResponse: {
    'What the container uses.': NAMES,
  },
  ListContainerStatsRequest: {
    'Says which containers to measure; all that run by default.': ['INV-48.running-only'],
  },
  ContainerStatsFilter: {
    'Which containers: those that match every part that is given.': ['INV-48.filter'],
  },
  ListContainerStatsResponse: {
    'What each container uses.': ['INV-48.filter'],
  },
  StreamContainerStatsRequest: {
    'Says which containers to measure; all that run by default.': ['INV-20.StreamContainerStats'],
  },
  StreamContainerStatsResponse: {
    'What some of the containers use; never none.': ['INV-20.StreamContainerStats'],
  },
  ContainerAttributes: {
    'Which container a measurement belongs to.': ['INV-48.attributes'],
  },
  'ContainerStats.writable_layer': {
    'What it wrote over its image.': ['INV-58.stats'],
  },
  PsiStats: {
    'Pressure stall information of a resource.': KERNEL,
  },
  'PsiStats.Full': {
    'Time in which all tasks waited for it.': KERNEL,
  },
  'PsiStats.Some': {
    'Time in which at least one task waited for it.': KERNEL,
  },
  PsiData: {
    'Time lost to waiting.': KERNEL,
  },
  'PsiData.Total': {
    'Nanoseconds since the cgroup was made.': KERNEL,
  },
  'PsiData.Avg10': {
    'Percent of the last 10 seconds.': KERNEL,
  },
  'PsiData.Avg60': {
    'Percent of the last 60 seconds.': KERNEL,
  },
  'PsiData.Avg300': {
    'Percent of the last 300 seconds.': KERNEL,
  },
  CpuUsage: {
    'CPU time.': ['INV-48.moves'],
  },
  'CpuUsage.timestamp': {
    'Unix nanoseconds at which it was measured; above 0 and new with every measurement.': [
      'INV-58.stats',
      'INV-48.moves',
    ],
  },
  'CpuUsage.usage_core_nano_seconds': {
    'Since the start; never falls.': ['INV-48.moves', 'INV-58.stats'],
  },
  'CpuUsage.usage_nano_cores': {
    'Rate over the last sample; 1e9 is one CPU.': ['INV-58.stats'],
  },
  MemoryUsage: {
    'Memory of a cgroup.': ['INV-58.stats'],
  },
  'MemoryUsage.timestamp': {
    'Unix nanoseconds at which it was measured; above 0.': ['INV-58.stats'],
  },
  'MemoryUsage.working_set_bytes': {
    "What can't be reclaimed at once; evictions go by it.": ['INV-58.stats'],
  },
  'MemoryUsage.available_bytes': {
    'Limit less working set; unset without a limit.': KERNEL,
  },
  'MemoryUsage.usage_bytes': {
    'With page cache.': KERNEL,
  },
  'MemoryUsage.rss_bytes': {
    'Anonymous memory.': KERNEL,
  },
  IoUsage: {
    'Input and output.': KERNEL,
  },
  'IoUsage.timestamp': {
    'Unix nanoseconds at which it was measured; above 0.': ['INV-58.pod-stats'],
  },
  SwapUsage: {
    'Swap of a cgroup.': KERNEL,
  },
  'SwapUsage.timestamp': {
    'Unix nanoseconds at which it was measured; above 0.': ['INV-58.pod-stats'],
  },
  ListMetricDescriptorsRequest: {
    'Asks for all descriptors.': NAMES,
  },
  ListMetricDescriptorsResponse: {
    'All metrics that ever come.': ['INV-49.descriptors'],
  },
  MetricDescriptor: {
    'What a metric means.': NAMES,
  },
  'MetricDescriptor.name': {
    'Unique.': ['INV-49.descriptors'],
  },
  'MetricDescriptor.help': {
    'For people.': RUNTIMES,
  },
  'MetricDescriptor.label_keys': {
    'Names of Metric.label_values, in their order.': ['INV-49.descriptors'],
  },
  ListPodSandboxMetricsRequest: {
    'Asks for the metrics of all sandboxes.': NAMES,
  },
  ListPodSandboxMetricsResponse: {
    'The metrics of all sandboxes.': ['INV-57.ListPodSandboxMetrics', 'INV-57.others-metrics'],
  },
  StreamPodSandboxMetricsRequest: {
    'Asks for the metrics of all sandboxes.': NAMES,
  },
  StreamPodSandboxMetricsResponse: {
    'The metrics of some sandboxes; never none.': ['INV-20.StreamPodSandboxMetrics'],
  },
  PodSandboxMetrics: {
    'Metrics of one sandbox.': ['INV-57.others-metrics'],
  },
  'PodSandboxMetrics.metrics': {
    'Of the sandbox as a whole.': ['INV-49.descriptors'],
  },
  ContainerMetrics: {
    'Metrics of one container.': ['INV-57.others-metrics'],
  },
  Metric: {
    'One value.': ['INV-58.metrics'],
  },
  'Metric.name': {
    'Has a descriptor.': ['INV-49.descriptors'],
  },
  'Metric.timestamp': {
    'Unix nanoseconds; 0 for now.': ['INV-58.metrics'],
  },
  'Metric.label_values': {
    'As many as the descriptor has label_keys, in their order.': ['INV-49.descriptors'],
  },
};
