import { CLIENTS, NAMES, RUNTIMES, type Sentences } from './holder.js';

/** The sentences of the calls about containers, and of what they say. */
export const containers: Sentences = {
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
};
