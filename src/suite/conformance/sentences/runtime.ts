import { HOST, NAMES, RUNTIMES, type Sentences, UNREACHABLE } from './holder.js';

/** The sentences of the runtime, events and checkpoints. */
export const runtime: Sentences = {
  Protocol: {
    'Transport protocol of a port.': NAMES,
  },
  ContainerEventType: {
    'What happened to a container, or to a sandbox.': ['INV-29.container', 'INV-29.sandbox'],
  },
  CgroupDriver: {
    'Who manages cgroups.': ['INV-50.constant'],
  },
  VersionRequest: {
    "Carries the caller's version.": NAMES,
  },
  'VersionRequest.version': {
    "Version of the kubelet's runtime API (0.1.0); runtimes ignore it.": ['INV-50.version'],
  },
  VersionResponse: {
    'Names the runtime.': ['INV-50.version'],
    'No field may be empty.': ['INV-50.version'],
  },
  'VersionResponse.version': {
    "Version of the kubelet's runtime API: 0.1.0.": ['INV-50.version'],
  },
  'VersionResponse.runtime_name': {
    'For people and logs, such as containerd.': ['INV-50.version'],
  },
  'VersionResponse.runtime_version': {
    "The runtime's own version; semver is expected.": ['INV-50.version'],
  },
  'VersionResponse.runtime_api_version': {
    'Version of the CRI: v1.': ['INV-50.version'],
  },
  Int64Value: {
    'A number that can also be absent.': NAMES,
  },
  NetworkConfig: {
    'Network settings of the node.': RUNTIMES,
  },
  'NetworkConfig.pod_cidr': {
    'Range of pod addresses; several are separated by commas.': RUNTIMES,
  },
  UpdateRuntimeConfigRequest: {
    'What changed.': NAMES,
  },
  UpdateRuntimeConfigResponse: {
    'Says only that it is done.': NAMES,
  },
  RuntimeCondition: {
    'One thing that has to be right for pods to run.': ['INV-51.conditions'],
  },
  'RuntimeCondition.type': {
    'RuntimeReady and NetworkReady are required; others are for information.': ['INV-51.conditions'],
  },
  'RuntimeCondition.reason': {
    'One word; for a condition that is false.': ['INV-51.conditions'],
  },
  'RuntimeCondition.message': {
    'The same for people.': RUNTIMES,
  },
  RuntimeStatus: {
    'All conditions.': ['INV-51.conditions'],
  },
  StatusRequest: {
    "Asks for the runtime's condition.": NAMES,
  },
  'StatusRequest.verbose': {
    'Fill in info.': ['INV-24.verbose'],
  },
  RuntimeHandlerFeatures: {
    'What one handler can do.': ['INV-65.user-namespace', 'INV-66.recursive'],
  },
  RuntimeHandler: {
    'A way to run sandboxes, as a RuntimeClass names it.': ['INV-50.handlers'],
  },
  'RuntimeHandler.name': {
    'Unique; empty for the default one.': ['INV-50.handlers'],
  },
  RuntimeFeatures: {
    'What the runtime can do whatever the handler.': ['INV-65.strict-groups'],
  },
  'RuntimeFeatures.supplemental_groups_policy': {
    'Heeds SupplementalGroupsPolicy.': ['INV-65.strict-groups'],
  },
  'RuntimeFeatures.user_namespaces_host_network': {
    "User namespaces work in the host's network.": HOST,
  },
  'RuntimeFeatures.mount_options': {
    'Heeds Mount.mount_options.': UNREACHABLE,
  },
  StatusResponse: {
    "The runtime's condition.": NAMES,
  },
  'StatusResponse.info': {
    'Debugging data; JSON where a value starts with {.': ['INV-24.verbose'],
    'Empty unless verbose.': ['INV-24.verbose'],
  },
  CheckpointContainerRequest: {
    'Names the container to save.': NAMES,
  },
  'CheckpointContainerRequest.location': {
    'Path of the archive to write.': ['INV-55.container'],
  },
  'CheckpointContainerRequest.timeout': {
    'Seconds; 0 leaves it to the runtime.': RUNTIMES,
  },
  CheckpointContainerResponse: {
    'Says only that it is done.': NAMES,
  },
  CheckpointPodRequest: {
    'Names the sandbox to save.': NAMES,
  },
  'CheckpointPodRequest.output_path': {
    'A directory that exists and is empty; nothing outside of it is written.': ['INV-55.checkpoint'],
  },
  'CheckpointPodRequest.container_ids': {
    'At least one, none twice; all have to run in this sandbox.': ['INV-55.failure'],
  },
  'CheckpointPodRequest.options': {
    'Runtime specific; an unknown key is refused.': ['INV-55.options'],
  },
  CheckpointPodResponse: {
    'Says only that it is done.': NAMES,
  },
  RestorePodRequest: {
    'Describes the sandbox to make from a checkpoint.': NAMES,
  },
  'RestorePodRequest.checkpoint_path': {
    'What CheckpointPod wrote.': ['INV-55.restore'],
  },
  'RestorePodRequest.options': {
    'Runtime specific; an unknown key is refused.': ['INV-55.restore-refused'],
  },
  'RestorePodRequest.container_configs': {
    'One for each container of the checkpoint, by name; no more and no fewer.': [
      'INV-55.restore',
      'INV-55.restore-refused',
    ],
  },
  RestoredContainer: {
    'A container made from a checkpoint.': ['INV-55.restore'],
  },
  'RestoredContainer.name': {
    'As in its config.': ['INV-55.restore'],
  },
  RestorePodResponse: {
    'What was made.': ['INV-55.restore'],
  },
  'RestorePodResponse.restored_containers': {
    'One for each config.': ['INV-55.restore'],
  },
  GetEventsRequest: {
    'Subscribes to everything.': NAMES,
  },
  ContainerEventResponse: {
    'One event, with the whole pod as it was right after.': ['INV-32.contents'],
  },
  'ContainerEventResponse.container_id': {
    'The container, or the sandbox when the event is its own.': ['INV-29.container', 'INV-29.sandbox'],
  },
  'ContainerEventResponse.created_at': {
    'Unix nanoseconds; the kubelet ignores an event older than what it knows of the pod.': ['INV-31.time'],
  },
  'ContainerEventResponse.pod_sandbox_status': {
    'The pod is known by its uid; the kubelet drops an event without it.': ['INV-32.contents'],
  },
  'ContainerEventResponse.containers_statuses': {
    'All containers of the sandbox.': ['INV-32.contents', 'INV-32.whole-statuses'],
  },
  RuntimeConfigRequest: {
    'Asks for the settings.': NAMES,
  },
  RuntimeConfigResponse: {
    'Settings, on the system that the runtime runs on.': ['INV-50.constant'],
  },
  LinuxRuntimeConfiguration: {
    'Settings on Linux.': ['INV-50.constant'],
  },
};
