import { CLIENTS, NAMES, RUNTIMES, type Sentences } from './holder.js';

/** The sentences of the services and their RPCs. */
export const rpcs: Sentences = {
  RuntimeService: {
    'Sandboxes, containers and what runs in them.': NAMES,
    "A kubelet drives a node's pods through this service alone.": CLIENTS,
    'Any id argument may be a unique prefix of the id.': ['INV-14.ids', 'INV-08.unknown'],
  },
  Version: {
    'Names the runtime and its versions.': ['INV-50.version'],
    'Clients check all four fields before anything else and give up if one is empty.': ['INV-50.version'],
  },
  RunPodSandbox: {
    'Creates a sandbox and starts it: success means that it is READY.': ['INV-01.lifecycle'],
    'The name, namespace, uid and attempt are reserved until removal.': [
      'INV-12.sandbox',
      'INV-12.held',
      'INV-13.reuse',
    ],
  },
  StopPodSandbox: {
    'Stops everything in a sandbox, by force where needed, and gives back its network.': [
      'INV-05.stops-containers',
      'INV-01.lifecycle',
    ],
    'Idempotent, also for an unknown id.': ['INV-08', 'INV-62.host-network'],
    'The kubelet calls it at least once before RemovePodSandbox, maybe often.': CLIENTS,
  },
  RemovePodSandbox: {
    'Removes a sandbox with its containers; what still runs is killed.': [
      'INV-06.removes-containers',
      'INV-34.removal-order',
    ],
    'Idempotent, also for an unknown id.': ['INV-08'],
  },
  PodSandboxStatus: {
    'Tells the state of one sandbox; NOT_FOUND if there is none.': ['INV-18.sandboxes', 'INV-01.lifecycle'],
    'A sandbox as it is now.': ['INV-18.sandboxes', 'INV-01.lifecycle'],
  },
  ListPodSandbox: {
    'Lists sandboxes.': ['INV-18.sandboxes', 'INV-19.empty'],
    'The parts of a filter all have to match.': ['INV-19.sandboxes'],
  },
  StreamPodSandboxes: {
    'ListPodSandbox in pieces, for lists that outgrow one message.': ['INV-20.StreamPodSandboxes'],
    'Each reply has at least one item, each item comes once, and the server ends the stream after the last.':
      ['INV-20.StreamPodSandboxes'],
    'Clients throw away what they have if it breaks.': CLIENTS,
  },
  CreateContainer: {
    'Creates a container in a READY sandbox without starting it.': ['INV-03.not-ready', 'INV-02.lifecycle'],
    'Name and attempt are unique in the sandbox.': ['INV-12.container', 'INV-13.reuse'],
    'The image has to be there.': ['INV-13.failed-create', 'INV-21.snapshot'],
  },
  StartContainer: {
    'Starts a CREATED container; each is started once only.': [
      'INV-02.lifecycle',
      'INV-03.start-running',
      'INV-03.start-exited',
      'INV-15.start',
    ],
  },
  StopContainer: {
    "Asks the container's process to end and kills it when the grace period is over.": [
      'INV-28.grace',
      'INV-28.early',
      'INV-23.stop-signal',
    ],
    'Idempotent, also for a stopped or unknown container.': ['INV-08', 'INV-04.stop-created', 'INV-15.stop'],
  },
  RemoveContainer: {
    'Removes a container; one that runs is killed first.': ['INV-02.remove-running', 'INV-02.lifecycle'],
    'Idempotent, also for an unknown id.': ['INV-08', 'INV-15.remove'],
  },
  ListContainers: {
    'Lists containers.': ['INV-18.containers', 'INV-19.empty'],
    'The parts of a filter all have to match.': ['INV-19.containers'],
  },
  StreamContainers: {
    'ListContainers in pieces; the rules are those of StreamPodSandboxes.': ['INV-20.StreamContainers'],
  },
  ContainerStatus: {
    'Tells the state of one container; NOT_FOUND if there is none.': [
      'INV-18.containers',
      'INV-02.lifecycle',
    ],
    'A container as it is now.': ['INV-18.containers', 'INV-02.lifecycle'],
  },
  UpdateContainerResources: {
    'Changes limits at once and as a whole: if it fails the old ones hold.': [
      'INV-23.update',
      'INV-23.update-part',
    ],
  },
  ReopenContainerLog: {
    'Opens the log file anew, after the caller moved the old one away.': ['INV-46.rotation'],
    "For a container that doesn't run the runtime either makes a fresh file, or fails and makes none.": [
      'INV-46.reopen-stopped',
    ],
  },
  ExecSync: {
    'Runs a command in a container and waits for it.': ['INV-43.split', 'INV-43.binary'],
    'Of stdout and stderr 16 MiB each are kept; the rest is dropped without an error.': ['INV-43.limit'],
  },
  Exec: {
    "Prepares a command's streams and answers the URL at which they are served.": [
      'INV-45.url',
      'INV-64.exec-SPDY',
      'INV-64.exec-WebSocket',
    ],
  },
  Attach: {
    "Prepares streams to the container's main process and answers the URL at which they are served.": [
      'INV-45.url',
      'INV-64.attach-SPDY',
      'INV-64.attach-WebSocket',
    ],
  },
  PortForward: {
    'Prepares connections to ports of a sandbox and answers the URL at which they are served.': [
      'INV-45.url',
      'INV-64.port-forward',
      'INV-64.port-forwards',
    ],
  },
  ContainerStats: {
    'What one container uses; NOT_FOUND if there is none.': ['INV-48.moves', 'INV-58.stats'],
    'What a container uses.': ['INV-48.moves', 'INV-58.stats'],
  },
  ListContainerStats: {
    'What the running containers use.': ['INV-48.running-only', 'INV-57.ListContainerStats'],
  },
  StreamContainerStats: {
    'ListContainerStats in pieces; the rules are those of StreamPodSandboxes.': [
      'INV-20.StreamContainerStats',
    ],
  },
  PodSandboxStats: {
    'What one sandbox and its containers use; NOT_FOUND if there is none.': ['INV-48.pod'],
    'What a sandbox uses, on the system that it runs on.': ['INV-48.pod'],
  },
  ListPodSandboxStats: {
    'What the sandboxes and their containers use.': [
      'INV-57.ListPodSandboxStats',
      'INV-57.others-stats',
      'INV-57.stopped-pod',
    ],
  },
  StreamPodSandboxStats: {
    'ListPodSandboxStats in pieces; the rules are those of StreamPodSandboxes.': [
      'INV-20.StreamPodSandboxStats',
    ],
  },
  UpdateRuntimeConfig: {
    'Tells the runtime what its node was given.': RUNTIMES,
    'An empty field changes nothing.': ['INV-52.empty-config'],
  },
  Status: {
    'Whether the runtime and its network are fit to run pods, and what they can do.': ['INV-51.conditions'],
  },
  CheckpointContainer: {
    "Writes a running container's state to an archive.": ['INV-55.container', 'INV-55.prefix'],
  },
  CheckpointPod: {
    'Writes the state of a READY sandbox and its running containers to an empty directory.': [
      'INV-55.checkpoint',
    ],
    'All of them are paused, captured, and resumed before the call ends, however it ends.': [
      'INV-55.checkpoint',
      'INV-55.failure',
    ],
    'A failure leaves the directory empty.': ['INV-55.failure'],
    'The caller has to set a deadline.': ['INV-55.deadline'],
  },
  RestorePod: {
    'Makes a sandbox and its containers from a checkpoint.': ['INV-55.restore'],
    'They are CREATED and wait for StartContainer.': ['INV-55.restore'],
    'A failure leaves nothing behind.': ['INV-55.restore-refused'],
    'The caller has to set a deadline.': ['INV-55.restore-refused'],
  },
  GetContainerEvents: {
    'Everything that happens to containers and sandboxes from now on, to every subscriber.': [
      'INV-29',
      'INV-30.two-subscribers',
      'INV-35.departed',
    ],
    'Evented PLEG lives on it.': CLIENTS,
  },
  ListMetricDescriptors: {
    'Describes the metrics of ListPodSandboxMetrics, all of them; the same as long as the runtime lives.': [
      'INV-49.descriptors',
    ],
  },
  ListPodSandboxMetrics: {
    'The metrics of each sandbox and its containers, in the terms of ListMetricDescriptors.': [
      'INV-49.descriptors',
      'INV-57.ListPodSandboxMetrics',
      'INV-57.others-metrics',
    ],
  },
  StreamPodSandboxMetrics: {
    'ListPodSandboxMetrics in pieces; the rules are those of StreamPodSandboxes.': [
      'INV-20.StreamPodSandboxMetrics',
    ],
  },
  RuntimeConfig: {
    'Settings that the kubelet has to share with the runtime; the same as long as the runtime lives.': [
      'INV-50.constant',
    ],
    'The kubelet goes by its own flag where this is UNIMPLEMENTED.': CLIENTS,
    'Settings of the node.': CLIENTS,
  },
  UpdatePodSandboxResources: {
    "Tells the runtime that the kubelet has resized a pod's cgroup.": ['INV-59.update', 'INV-59.shown'],
  },
  ImageService: {
    'Images on the node.': NAMES,
    'It may be served from another socket than RuntimeService.': CLIENTS,
  },
  ListImages: {
    'Lists images.': ['INV-37.pull', 'INV-37.remove'],
    'Runtimes differ in what they make of the filter.': ['INV-19.images'],
  },
  StreamImages: {
    'ListImages in pieces; the rules are those of StreamPodSandboxes.': ['INV-20.StreamImages'],
  },
  ImageStatus: {
    'Tells about one image.': ['INV-37.pull'],
    'One that is absent is not an error: the reply has no image.': ['INV-40.absent'],
  },
  PullImage: {
    'Fetches an image and answers its id.': ['INV-37.pull', 'INV-36.one-id'],
    'No limit of time unless the caller sets a deadline.': CLIENTS,
  },
  RemoveImage: {
    'Removes an image with all its names, whichever of them was given; no list shows it any more.': [
      'INV-37.remove',
      'INV-61.remove',
    ],
    'Idempotent, also for an unknown image.': ['INV-08.unknown', 'INV-61.remove'],
  },
  ImageFsInfo: {
    'What images and writable layers take on disk.': ['INV-41.fs-info'],
    'Clients check it when they connect.': CLIENTS,
  },
};
