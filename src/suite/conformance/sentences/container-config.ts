import { CLIENTS, HOST, NAMES, RUNTIMES, SANDBOX_PROCESS, type Sentences, UNREACHABLE } from './holder.js';

/** The sentences of what a container is made of: its config, mounts, users, limits and states. */
export const containerConfig: Sentences = {
  MountPropagation: {
    'Whether mounts made later on one side of a mount show on the other.': HOST,
  },
  'MountPropagation.PROPAGATION_PRIVATE': {
    'Neither way (rprivate).': HOST,
  },
  'MountPropagation.PROPAGATION_HOST_TO_CONTAINER': {
    'From the host to the container (rslave).': HOST,
  },
  'MountPropagation.PROPAGATION_BIDIRECTIONAL': {
    'Both ways (rshared); for privileged containers.': HOST,
  },
  SupplementalGroupsPolicy: {
    "Where a process' additional groups come from.": ['INV-65.user', 'INV-65.strict-groups'],
  },
  'SupplementalGroupsPolicy.Merge': {
    "The config, and the image's /etc/group.": ['INV-65.strict-groups'],
  },
  'SupplementalGroupsPolicy.Strict': {
    'The config alone.': ['INV-65.strict-groups'],
  },
  Signal: {
    'What ends a container.': ['INV-23.stop-signal'],
    "The numbers are the API's own, not those of the kernel.": ['INV-23.stop-signal'],
  },
  'Signal.SIGNAL_RUNTIME_DEFAULT': {
    "The image's stop signal, or SIGTERM.": ['INV-27.killed'],
  },
  ContainerState: {
    'A container goes from CREATED to RUNNING to EXITED, once.': [
      'INV-02.lifecycle',
      'INV-07.exited-is-final',
      'INV-02.no-restart',
    ],
  },
  'ContainerState.CONTAINER_CREATED': {
    'Not started yet.': ['INV-02.lifecycle'],
  },
  'ContainerState.CONTAINER_RUNNING': {
    'Started, and not known to have ended.': ['INV-02.lifecycle'],
  },
  'ContainerState.CONTAINER_EXITED': {
    'Ended, or failed to start.': ['INV-02.lifecycle', 'INV-60.ends-at-once'],
    'Final.': ['INV-07.exited-is-final'],
  },
  'ContainerState.CONTAINER_UNKNOWN': {
    'The runtime lost track of it.': UNREACHABLE,
  },
  Mount: {
    'Something of the host, or an image, that shows inside a container.': [
      'INV-66.read-only',
      'INV-66.image',
    ],
  },
  'Mount.container_path': {
    'Where it shows, absolute.': ['INV-23.mounts', 'INV-62.nested-mounts'],
  },
  'Mount.host_path': {
    'What shows; a symlink is followed and a missing path is an error.': RUNTIMES,
    'Not together with image.': RUNTIMES,
  },
  'Mount.readonly': {
    'Writing through the mount fails.': ['INV-66.read-only'],
  },
  'Mount.selinux_relabel': {
    "Give it the container's SELinux label.": HOST,
  },
  'Mount.uidMappings': {
    "Ids of an id-mapped mount; all inside the container's user namespace.": HOST,
  },
  'Mount.gidMappings': {
    'As uidMappings, for groups.': HOST,
  },
  'Mount.recursive_read_only': {
    'Read-only with everything mounted below.': ['INV-66.recursive'],
    'Needs readonly and private propagation, and a runtime handler that can do it; refused otherwise.': [
      'INV-66.recursive-refused',
    ],
  },
  'Mount.image': {
    'An image to mount, read-only, in place of host_path.': ['INV-66.image'],
  },
  'Mount.image_sub_path': {
    "A directory inside the image; one that doesn't exist is an error.": ['INV-66.image-sub-path'],
  },
  'Mount.mount_options': {
    'Extra mount options; only where RuntimeFeatures has mount_options.': UNREACHABLE,
  },
  KeyValue: {
    'One environment variable.': ['INV-67.envs'],
  },
  'KeyValue.value': {
    'Any bytes; need not be UTF-8.': ['INV-67.envs'],
    'A string before v0.37, the same on the wire.': UNREACHABLE,
  },
  LinuxContainerResources: {
    'cgroup limits.': ['INV-23.update'],
    '0 or empty sets no limit, or on update changes nothing.': ['INV-23.update-part'],
  },
  'LinuxContainerResources.cpu_period': {
    'CFS period in microseconds.': ['INV-23.update'],
  },
  'LinuxContainerResources.cpu_quota': {
    'CPU time in microseconds that may be used in a period.': ['INV-23.update'],
  },
  'LinuxContainerResources.cpu_shares': {
    'Weight against others; 1024 for one CPU.': ['INV-23.update'],
  },
  'LinuxContainerResources.oom_score_adj': {
    'Added to the OOM score, -1000 to 1000.': SANDBOX_PROCESS,
  },
  'LinuxContainerResources.cpuset_cpus': {
    'Such as 0-3,7.': HOST,
  },
  'LinuxContainerResources.cpuset_mems': {
    'NUMA nodes, in the form of cpuset_cpus.': HOST,
  },
  'LinuxContainerResources.unified': {
    'cgroup v2 files and their contents.': HOST,
  },
  'LinuxContainerResources.memory_swap_limit_in_bytes': {
    'Memory and swap together.': HOST,
  },
  HugepageLimit: {
    'Limit for huge pages of one size.': HOST,
  },
  'HugepageLimit.page_size': {
    'Such as 2MB or 1GB.': HOST,
  },
  'HugepageLimit.limit': {
    'Bytes.': HOST,
  },
  SELinuxOption: {
    'An SELinux label.': HOST,
  },
  Capability: {
    "Changes to the runtime's default set.": ['INV-67.capabilities'],
    'Names have no CAP_ prefix; ALL stands for every one.': ['INV-67.capabilities'],
  },
  'Capability.add_ambient_capabilities': {
    'Also added to the ambient set, which survives a change of user.': RUNTIMES,
  },
  LinuxContainerSecurityContext: {
    "Rights of a container's process.": ['INV-65.user'],
  },
  'LinuxContainerSecurityContext.privileged': {
    'All capabilities and devices, no profiles.': HOST,
    'Needs a privileged sandbox.': HOST,
  },
  'LinuxContainerSecurityContext.run_as_user': {
    'Not together with run_as_username.': RUNTIMES,
  },
  'LinuxContainerSecurityContext.run_as_group': {
    'Needs run_as_user or run_as_username; refused otherwise.': ['INV-11.group-without-user'],
  },
  'LinuxContainerSecurityContext.run_as_username': {
    "Has to exist in the image's /etc/passwd.": ['INV-65.unknown-user'],
  },
  'LinuxContainerSecurityContext.supplemental_groups': {
    'Group ids besides the primary one.': ['INV-65.user'],
  },
  'LinuxContainerSecurityContext.no_new_privs': {
    "Processes can't gain rights by execve.": ['INV-67.no-new-privs'],
  },
  'LinuxContainerSecurityContext.masked_paths': {
    'Paths that show empty.': ['INV-67.paths'],
  },
  'LinuxContainerSecurityContext.readonly_paths': {
    "Paths that can't be written.": ['INV-67.paths'],
  },
  'LinuxContainerSecurityContext.apparmor_profile': {
    'Superseded by apparmor.': CLIENTS,
  },
  'LinuxContainerSecurityContext.seccomp_profile_path': {
    'Superseded by seccomp.': CLIENTS,
  },
  LinuxContainerConfig: {
    "The Linux part of a container's config.": NAMES,
  },
  LinuxContainerUser: {
    'The ids that the first process was started with.': ['INV-65.user'],
  },
  ContainerMetadata: {
    'Names a container.': ['INV-23.metadata'],
    'Both together are unique in a sandbox.': ['INV-12.container'],
  },
  'ContainerMetadata.attempt': {
    'Counts the containers made under the name, from 0.': ['INV-23.metadata'],
  },
  Device: {
    'A device of the host that a container may use.': HOST,
  },
  'Device.permissions': {
    'cgroup permissions: r, w, m.': HOST,
  },
  CDIDevice: {
    'A device by the Container Device Interface.': HOST,
  },
  'CDIDevice.name': {
    'Such as vendor.com/class=name.': HOST,
  },
  ContainerConfig: {
    'What a container is to be.': NAMES,
  },
  'ContainerConfig.image': {
    'Has to be present already.': ['INV-13.failed-create', 'INV-36.one-id'],
  },
  'ContainerConfig.command': {
    "In place of the image's entry point; the image's own if empty.": ['INV-27.code'],
  },
  'ContainerConfig.args': {
    "In place of the image's command; the image's own if both are empty.": ['INV-67.args'],
  },
  'ContainerConfig.working_dir': {
    "In place of the image's.": ['INV-67.working-dir'],
  },
  'ContainerConfig.labels': {
    'For filters.': ['INV-19.containers'],
    'Come back exactly as given.': ['INV-22.container'],
  },
  'ContainerConfig.annotations': {
    'Come back exactly as given.': ['INV-22.container', 'INV-22.long'],
  },
  'ContainerConfig.log_path': {
    "Relative to the sandbox's log_directory.": ['INV-23.log-path'],
    'No log if either is empty.': ['INV-67.no-log'],
  },
  'ContainerConfig.stdin': {
    'Keep stdin open.': ['INV-64.attach-SPDY', 'INV-64.attach-WebSocket'],
  },
  'ContainerConfig.stdin_once': {
    'Close stdin after the first attach session.': [
      'INV-64.attach-data-SPDY',
      'INV-64.attach-data-WebSocket',
    ],
  },
  'ContainerConfig.tty': {
    'One terminal for all streams: no stderr of its own.': [
      'INV-64.attach-resize-SPDY',
      'INV-64.attach-resize-WebSocket',
    ],
  },
  'ContainerConfig.CDI_devices': {
    'Devices by CDI name.': HOST,
  },
  'ContainerConfig.stop_signal': {
    "In place of the image's.": ['INV-23.stop-signal'],
  },
};
