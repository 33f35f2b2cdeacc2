import { type Sentences, WINDOWS } from './holder.js';

/** The sentences on Windows, which the suite does not test. */
export const windows: Sentences = {
  WindowsPodSandboxStats: {
    'What a pod uses, containers and overhead together.': WINDOWS,
  },
  'WindowsPodSandboxStats.containers': {
    'Each container by itself.': WINDOWS,
  },
  WindowsNetworkUsage: {
    'Traffic of a sandbox.': WINDOWS,
  },
  'WindowsNetworkUsage.timestamp': {
    'Unix nanoseconds at which it was measured; above 0.': WINDOWS,
  },
  'WindowsNetworkUsage.default_interface': {
    'The one that carries the default route.': WINDOWS,
  },
  'WindowsNetworkUsage.interfaces': {
    'The others.': WINDOWS,
  },
  WindowsNetworkInterfaceUsage: {
    'Traffic of one interface since it came up.': WINDOWS,
  },
  WindowsProcessUsage: {
    'Processes of a sandbox.': WINDOWS,
  },
  'WindowsProcessUsage.timestamp': {
    'Unix nanoseconds at which it was measured; above 0.': WINDOWS,
  },
  WindowsNamespaceOption: {
    'Which namespaces a Windows pod lives in.': WINDOWS,
  },
  WindowsSandboxSecurityContext: {
    'Rights in a Windows sandbox.': WINDOWS,
  },
  'WindowsSandboxSecurityContext.credential_spec': {
    'Contents of a GMSA credential spec.': WINDOWS,
  },
  'WindowsSandboxSecurityContext.host_process': {
    'Runs on the host itself.': WINDOWS,
  },
  WindowsPodSandboxConfig: {
    "The Windows part of a sandbox's config.": WINDOWS,
  },
  WindowsContainerSecurityContext: {
    'Rights of a Windows container.': WINDOWS,
  },
  'WindowsContainerSecurityContext.credential_spec': {
    'Contents of a GMSA credential spec.': WINDOWS,
  },
  'WindowsContainerSecurityContext.host_process': {
    'Runs on the host itself; has to be as in the sandbox.': WINDOWS,
  },
  WindowsContainerConfig: {
    "The Windows part of a container's config.": WINDOWS,
  },
  WindowsContainerResources: {
    'Limits of a Windows container; 0 sets none.': WINDOWS,
  },
  'WindowsContainerResources.cpu_shares': {
    'Weight against others.': WINDOWS,
  },
  'WindowsContainerResources.cpu_count': {
    'Number of CPUs.': WINDOWS,
  },
  'WindowsContainerResources.cpu_maximum': {
    'Hundredths of a percent of all CPUs.': WINDOWS,
  },
  'WindowsContainerResources.affinity_cpus': {
    'CPUs that it may run on.': WINDOWS,
  },
  WindowsCpuGroupAffinity: {
    'Some of the CPUs of a group.': WINDOWS,
  },
  'WindowsCpuGroupAffinity.cpu_mask': {
    'A bit for each CPU.': WINDOWS,
  },
  WindowsFilesystemUsage: {
    'What is used of a file system.': WINDOWS,
  },
  'WindowsFilesystemUsage.timestamp': {
    'Unix nanoseconds at which it was measured; above 0.': WINDOWS,
  },
  WindowsContainerStats: {
    'What a Windows container uses.': WINDOWS,
  },
  WindowsCpuUsage: {
    'CPU time.': WINDOWS,
  },
  'WindowsCpuUsage.timestamp': {
    'Unix nanoseconds at which it was measured; above 0.': WINDOWS,
  },
  'WindowsCpuUsage.usage_core_nano_seconds': {
    'Since the start; never falls.': WINDOWS,
  },
  'WindowsCpuUsage.usage_nano_cores': {
    'Rate over the last sample; 1e9 is one CPU.': WINDOWS,
  },
  WindowsMemoryUsage: {
    'Memory of a Windows container.': WINDOWS,
  },
  'WindowsMemoryUsage.timestamp': {
    'Unix nanoseconds at which it was measured; above 0.': WINDOWS,
  },
};
