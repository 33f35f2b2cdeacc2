import { CLIENTS, HOST, NAMES, RUNTIMES, SANDBOX_PROCESS, type Sentences } from './holder.js';

/** The sentences of sandboxes. */
export const sandboxes: Sentences = {
  NamespaceMode: {
    'Whose Linux namespace a process joins.': NAMES,
  },
  'NamespaceMode.POD': {
    "The one that the pod's containers share.": ['INV-67.pod-pid'],
  },
  'NamespaceMode.CONTAINER': {
    'One of its own.': ['INV-67.own-pid'],
  },
  'NamespaceMode.NODE': {
    "The host's.": ['INV-62.host-network'],
  },
  'NamespaceMode.TARGET': {
    'That of the container in target_id; for pid alone.': ['INV-67.target-pid'],
  },
  PodSandboxState: {
    'A sandbox goes from READY to NOTREADY and never back.': ['INV-01.lifecycle'],
  },
  'PodSandboxState.SANDBOX_READY': {
    'Runs; containers may be made in it.': ['INV-01.lifecycle', 'INV-02.lifecycle'],
  },
  'PodSandboxState.SANDBOX_NOTREADY': {
    'Was stopped, or died.': ['INV-01.lifecycle'],
  },
  DNSConfig: {
    "What goes into the sandbox's resolv.conf.": ['INV-67.dns'],
  },
  'DNSConfig.servers': {
    'IP addresses.': ['INV-67.dns'],
  },
  'DNSConfig.searches': {
    'Search domains.': ['INV-67.dns'],
  },
  'DNSConfig.options': {
    'Such as ndots:5.': ['INV-67.dns'],
  },
  PortMapping: {
    'A port of the sandbox that the host publishes.': HOST,
  },
  'PortMapping.container_port': {
    '1 to 65535.': HOST,
  },
  'PortMapping.host_port': {
    '0 publishes nothing.': HOST,
  },
  'PortMapping.host_ip': {
    'Address on the host to listen at; empty means all.': HOST,
  },
  IDMapping: {
    'A range of user or group ids inside a user namespace and outside of it.': ['INV-65.user-namespace'],
  },
  'IDMapping.host_id': {
    'First id outside.': ['INV-65.user-namespace'],
  },
  'IDMapping.container_id': {
    'First id inside.': ['INV-65.user-namespace'],
  },
  'IDMapping.length': {
    'How many.': ['INV-65.user-namespace'],
  },
  UserNamespace: {
    "A pod's user namespace.": ['INV-65.user-namespace'],
  },
  'UserNamespace.mode': {
    'POD or NODE; the others are refused.': ['INV-65.no-user-namespace'],
  },
  'UserNamespace.uids': {
    'In mode POD the ranges of ids, of which a kubelet gives one that begins with container_id 0; else none.':
      ['INV-65.no-user-namespace'],
  },
  'UserNamespace.gids': {
    'As uids.': ['INV-65.no-user-namespace'],
  },
  NamespaceOption: {
    'Which namespaces a process lives in.': NAMES,
  },
  'NamespaceOption.network': {
    'POD or NODE.': ['INV-62.host-network'],
  },
  'NamespaceOption.pid': {
    'All four modes for a container; not TARGET for a sandbox.': ['INV-67'],
  },
  'NamespaceOption.ipc': {
    'POD or NODE.': RUNTIMES,
  },
  'NamespaceOption.target_id': {
    'The container whose pid namespace is joined; only in mode TARGET.': ['INV-67.target-pid'],
  },
  LinuxSandboxSecurityContext: {
    "Rights of the sandbox's own process, and namespaces of the pod.": SANDBOX_PROCESS,
  },
  'LinuxSandboxSecurityContext.run_as_group': {
    'Needs run_as_user; refused otherwise.': ['INV-11.group-without-user'],
  },
  'LinuxSandboxSecurityContext.readonly_rootfs': {
    "Of the sandbox's own process.": SANDBOX_PROCESS,
  },
  'LinuxSandboxSecurityContext.supplemental_groups': {
    'Group ids besides the primary one.': SANDBOX_PROCESS,
  },
  'LinuxSandboxSecurityContext.privileged': {
    'Whether privileged containers may run in the sandbox.': HOST,
  },
  'LinuxSandboxSecurityContext.seccomp_profile_path': {
    'Superseded by seccomp.': CLIENTS,
  },
  SecurityProfile: {
    'A seccomp or AppArmor profile.': ['INV-65.seccomp', 'INV-65.apparmor'],
  },
  'SecurityProfile.ProfileType': {
    'Where a seccomp or AppArmor profile comes from.': ['INV-65.seccomp'],
  },
  'SecurityProfile.ProfileType.RuntimeDefault': {
    "The runtime's own profile.": ['INV-65.seccomp'],
  },
  'SecurityProfile.ProfileType.Unconfined': {
    'None.': ['INV-65.seccomp', 'INV-65.apparmor'],
  },
  'SecurityProfile.ProfileType.Localhost': {
    'A profile on the node, named by localhost_ref.': ['INV-65.no-seccomp-profile'],
  },
  'SecurityProfile.localhost_ref': {
    'Path of a seccomp profile or name of a loaded AppArmor one; only for Localhost.': [
      'INV-65.no-seccomp-profile',
    ],
  },
  LinuxPodSandboxConfig: {
    "The Linux part of a sandbox's config.": NAMES,
  },
  'LinuxPodSandboxConfig.cgroup_parent': {
    'In the form of the cgroup driver; empty leaves it to the runtime.': RUNTIMES,
  },
  'LinuxPodSandboxConfig.sysctls': {
    "Kernel parameters of the sandbox's namespaces, by name.": HOST,
  },
  'LinuxPodSandboxConfig.overhead': {
    'What the sandbox itself takes besides its containers; information for the runtime.': RUNTIMES,
  },
  'LinuxPodSandboxConfig.resources': {
    'Sum over the containers; information for the runtime.': RUNTIMES,
  },
  PodSandboxMetadata: {
    'Names a sandbox.': ['INV-23.metadata'],
    'All four together are unique on a node.': ['INV-12.sandbox', 'INV-12.held'],
  },
  'PodSandboxMetadata.name': {
    "The pod's name.": ['INV-23.metadata'],
  },
  'PodSandboxMetadata.uid': {
    "The pod's uid.": ['INV-23.metadata'],
  },
  'PodSandboxMetadata.namespace': {
    "The pod's namespace.": ['INV-23.metadata'],
  },
  'PodSandboxMetadata.attempt': {
    'Counts the sandboxes made for the pod, from 0.': ['INV-23.metadata'],
  },
  PodSandboxConfig: {
    'What a sandbox is to be.': NAMES,
  },
  'PodSandboxConfig.hostname': {
    "Empty only in the host's network.": ['INV-67.hostname'],
  },
  'PodSandboxConfig.log_directory': {
    "Absolute directory on the host; a container's log is log_path in it.": ['INV-23.log-path'],
  },
  'PodSandboxConfig.labels': {
    'For filters.': ['INV-19.sandboxes'],
    'Come back exactly as given.': ['INV-22.sandbox'],
  },
  'PodSandboxConfig.annotations': {
    'Come back exactly as given.': ['INV-22.sandbox'],
  },
  RunPodSandboxRequest: {
    'Describes the sandbox to run.': NAMES,
  },
  'RunPodSandboxRequest.runtime_handler': {
    'One of StatusResponse.runtime_handlers; empty is the default one and an unknown one is refused.': [
      'INV-50.handlers',
    ],
  },
  RunPodSandboxResponse: {
    'The sandbox that runs now.': ['INV-10.empty-id', 'INV-14.ids'],
  },
  StopPodSandboxRequest: {
    'Names the sandbox to stop.': NAMES,
  },
  StopPodSandboxResponse: {
    'Says only that it is done.': NAMES,
  },
  RemovePodSandboxRequest: {
    'Names the sandbox to remove.': NAMES,
  },
  RemovePodSandboxResponse: {
    'Says only that it is done.': NAMES,
  },
  PodSandboxStatusRequest: {
    'Names the sandbox to tell about.': NAMES,
  },
  'PodSandboxStatusRequest.verbose': {
    'Fill in info.': ['INV-24.verbose'],
  },
  PodIP: {
    'One IP address.': NAMES,
  },
  'PodIP.ip': {
    'IPv4 or IPv6.': RUNTIMES,
  },
  PodSandboxNetworkStatus: {
    "A sandbox's addresses; empty in the host's network and once stopped.": ['INV-67.addresses'],
  },
  'PodSandboxNetworkStatus.ip': {
    'The primary address.': ['INV-67.addresses'],
  },
  'PodSandboxNetworkStatus.additional_ips': {
    'Others, such as the second family of a dual stack.': RUNTIMES,
  },
  Namespace: {
    'Namespaces that a sandbox lives in.': NAMES,
  },
  LinuxPodSandboxStatus: {
    "The Linux part of a sandbox's status.": NAMES,
  },
  'PodSandboxStatus.id': {
    'Given by the runtime.': ['INV-14.ids'],
  },
  'PodSandboxStatus.created_at': {
    'Unix nanoseconds, above 0.': ['INV-25.sandbox', 'INV-26.constant'],
  },
  PodSandboxStatusResponse: {
    'The status, and what Evented PLEG needs besides.': ['INV-58.status'],
  },
  'PodSandboxStatusResponse.info': {
    'Debugging data; JSON where a value starts with {.': ['INV-24.verbose'],
    'Empty unless verbose.': ['INV-24.verbose'],
  },
  'PodSandboxStatusResponse.containers_statuses': {
    'All containers of the sandbox, taken at timestamp.': ['INV-67.statuses'],
  },
  'PodSandboxStatusResponse.timestamp': {
    'Unix nanoseconds at which the statuses were taken.': ['INV-58.status'],
  },
  PodSandboxStateValue: {
    'A state that can also be absent.': NAMES,
  },
  PodSandboxFilter: {
    'Which sandboxes: those that match every part that is given.': ['INV-19.sandboxes'],
  },
  'PodSandboxFilter.label_selector': {
    'Each key has to have exactly this value.': ['INV-19.sandboxes'],
  },
  ListPodSandboxRequest: {
    'Says which sandboxes to list; all by default.': ['INV-19.empty'],
  },
  PodSandbox: {
    'A sandbox in a list.': ['INV-18.sandboxes'],
  },
  'PodSandbox.created_at': {
    'Unix nanoseconds.': ['INV-18.sandboxes', 'INV-25.sandbox'],
  },
  ListPodSandboxResponse: {
    'The sandboxes that match, in no order.': ['INV-19.sandboxes'],
  },
  StreamPodSandboxesRequest: {
    'Says which sandboxes to list; all by default.': ['INV-20.StreamPodSandboxes'],
  },
  StreamPodSandboxesResponse: {
    'Some of the sandboxes that match; never none.': ['INV-20.StreamPodSandboxes'],
  },
  UpdatePodSandboxResourcesRequest: {
    'Names a sandbox and its new resources.': NAMES,
  },
  'UpdatePodSandboxResourcesRequest.overhead': {
    'What the sandbox itself takes.': ['INV-59.shown'],
  },
  'UpdatePodSandboxResourcesRequest.resources': {
    'Sum over the containers.': ['INV-59.shown'],
  },
  UpdatePodSandboxResourcesResponse: {
    'Says only that it is done.': NAMES,
  },
};
