import { CLIENTS, HOST, NAMES, RUNTIMES, SANDBOX_PROCESS, type Sentences, UNREACHABLE } from './holder.js';

/** The sentences of containers and streams. */
export const containers: Sentences = {
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
  CreateContainerRequest: {
    'Describes the container to create.': NAMES,
  },
  'CreateContainerRequest.sandbox_config': {
    'As it was given to RunPodSandbox; the same for every container of the sandbox.': CLIENTS,
  },
  CreateContainerResponse: {
    'The container that exists now.': ['INV-10.empty-id', 'INV-14.ids'],
  },
  StartContainerRequest: {
    'Names the container to start.': NAMES,
  },
  StartContainerResponse: {
    'Says only that it is done.': NAMES,
  },
  StopContainerRequest: {
    'Names the container to stop.': NAMES,
  },
  'StopContainerRequest.timeout': {
    'Grace period in seconds; 0 kills at once.': ['INV-28.at-once', 'INV-28.grace'],
  },
  StopContainerResponse: {
    'Says only that it is done.': NAMES,
  },
  RemoveContainerRequest: {
    'Names the container to remove.': NAMES,
  },
  RemoveContainerResponse: {
    'Says only that it is done.': NAMES,
  },
  ContainerStateValue: {
    'A state that can also be absent.': NAMES,
  },
  ContainerFilter: {
    'Which containers: those that match every part that is given.': ['INV-19.containers'],
  },
  'ContainerFilter.label_selector': {
    'Each key has to have exactly this value.': ['INV-19.containers'],
  },
  ListContainersRequest: {
    'Says which containers to list; all by default.': ['INV-19.empty'],
  },
  Container: {
    'A container in a list.': ['INV-18.containers'],
  },
  'Container.image': {
    "As in the container's config.": ['INV-36.one-id'],
  },
  'Container.image_ref': {
    'The image that it was made from, as an id or digest.': ['INV-36.one-id'],
  },
  'Container.created_at': {
    'Unix nanoseconds.': ['INV-18.containers'],
  },
  'Container.image_id': {
    'Id of the image, as Image.id.': ['INV-36.one-id'],
  },
  ListContainersResponse: {
    'The containers that match, in no order.': ['INV-19.containers'],
  },
  StreamContainersRequest: {
    'Says which containers to list; all by default.': ['INV-20.StreamContainers'],
  },
  StreamContainersResponse: {
    'Some of the containers that match; never none.': ['INV-20.StreamContainers'],
  },
  ContainerStatusRequest: {
    'Names the container to tell about.': NAMES,
  },
  'ContainerStatusRequest.verbose': {
    'Fill in info.': ['INV-24.verbose'],
  },
  'ContainerStatus.created_at': {
    'Unix nanoseconds.': ['INV-25.order', 'INV-26.constant'],
  },
  'ContainerStatus.started_at': {
    'Unix nanoseconds; 0 before the start.': ['INV-25.order', 'INV-60.ends-at-once'],
  },
  'ContainerStatus.finished_at': {
    'Unix nanoseconds; 0 before the end.': ['INV-25.order', 'INV-60.ends-at-once'],
  },
  'ContainerStatus.exit_code': {
    'Means something only when finished_at is not 0.': ['INV-27', 'INV-60.ends-at-once'],
  },
  'ContainerStatus.image_ref': {
    'The image that it was made from, as an id or digest.': ['INV-36.one-id', 'INV-63.images'],
  },
  'ContainerStatus.reason': {
    'One word on why it is as it is; OOMKilled after the OOM killer.': ['INV-27', 'INV-56.reason'],
  },
  'ContainerStatus.message': {
    'The same for people.': RUNTIMES,
  },
  'ContainerStatus.log_path': {
    'Absolute path of the log on the host.': ['INV-23.log-path'],
  },
  'ContainerStatus.resources': {
    'The limits that hold now.': ['INV-23.update'],
  },
  'ContainerStatus.image_id': {
    'Id of the image, as Image.id.': ['INV-36.one-id', 'INV-63.images'],
  },
  'ContainerStatus.user': {
    'Whom the first process runs as.': ['INV-65.user'],
  },
  'ContainerStatus.stop_signal': {
    'The signal that StopContainer sends.': ['INV-23.stop-signal'],
  },
  ContainerStatusResponse: {
    'The status.': NAMES,
  },
  'ContainerStatusResponse.info': {
    'Debugging data; JSON where a value starts with {.': ['INV-24.verbose'],
    'Empty unless verbose.': ['INV-24.verbose'],
  },
  ContainerResources: {
    'Limits, on the system that it runs on.': ['INV-23.update'],
  },
  ContainerUser: {
    'A user, on the system that it runs on.': ['INV-65.user'],
  },
  UpdateContainerResourcesRequest: {
    'Names a container and its new limits.': NAMES,
  },
  'UpdateContainerResourcesRequest.annotations': {
    'Hints for the runtime on how to apply them.': RUNTIMES,
  },
  UpdateContainerResourcesResponse: {
    'Says only that it is done.': NAMES,
  },
  ExecSyncRequest: {
    'Describes the command to run.': NAMES,
  },
  'ExecSyncRequest.cmd': {
    'Program and arguments; no shell.': ['INV-43.split', 'INV-43.no-command'],
  },
  'ExecSyncRequest.timeout': {
    'Seconds until the command is killed and DEADLINE_EXCEEDED answered; 0 waits for ever.': [
      'INV-43.timeout',
    ],
  },
  ExecSyncResponse: {
    'How the command ended.': ['INV-43.split'],
  },
  'ExecSyncResponse.stdout': {
    'At most 16 MiB.': ['INV-43.limit', 'INV-43.binary'],
  },
  'ExecSyncResponse.stderr': {
    'At most 16 MiB.': ['INV-43.limit', 'INV-43.split'],
  },
  ExecRequest: {
    'Describes the command and its streams.': NAMES,
    'At least one stream has to be asked for.': ['INV-44.validation'],
  },
  'ExecRequest.cmd': {
    'Program and arguments; no shell.': ['INV-64.exec-SPDY', 'INV-64.exec-WebSocket'],
  },
  'ExecRequest.tty': {
    'One terminal for all streams; stderr has to be off.': [
      'INV-44.validation',
      'INV-64.resize-SPDY',
      'INV-64.resize-WebSocket',
    ],
  },
  ExecResponse: {
    'Where the streams are.': NAMES,
  },
  'ExecResponse.url': {
    'Absolute; good for one connection, for a short time.': ['INV-45'],
  },
  AttachRequest: {
    'Says which streams to attach to.': NAMES,
    'At least one has to be asked for.': ['INV-44.validation'],
  },
  'AttachRequest.tty': {
    "As in the container's config; stderr has to be off then.": [
      'INV-44.validation',
      'INV-64.attach-resize-SPDY',
      'INV-64.attach-resize-WebSocket',
    ],
  },
  AttachResponse: {
    'Where the streams are.': NAMES,
  },
  'AttachResponse.url': {
    'Absolute; good for one connection, for a short time.': ['INV-45'],
  },
  PortForwardRequest: {
    'Names the sandbox to connect to.': NAMES,
  },
  'PortForwardRequest.port': {
    'Only for the WebSocket form; SPDY streams name their port themselves.': ['INV-64.port-forward'],
  },
  PortForwardResponse: {
    'Where the streams are.': NAMES,
  },
  'PortForwardResponse.url': {
    'Absolute; good for one connection, for a short time.': ['INV-45'],
  },
  ReopenContainerLogRequest: {
    'Names the container whose log was moved.': NAMES,
  },
  ReopenContainerLogResponse: {
    'Says only that it is done.': NAMES,
  },
};
