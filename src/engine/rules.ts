import type {
  ContainerConfig,
  ContainerResources,
  FilesystemUsage,
  PodSandboxConfig,
  RuntimeHandler,
} from '../cri/gen/runtime/v1/api.js';

/** A container that another one's config names. */
export interface NamedContainer {
  readonly sandboxId: string;
  /** `RUNNING` */
  readonly state: string;
}

/** What a runtime looks at in configs, where it differs from api.proto. */
export interface ConfigChecks {
  /** Throws what RunPodSandbox fails with. */
  sandbox(config: PodSandboxConfig): void;
  /** Throws what CreateContainer fails with, once the image was found. `find` takes an id or a prefix. */
  container(
    config: ContainerConfig,
    sandboxId: string,
    find: (id: string) => NamedContainer | undefined,
  ): void;
  /** Why the container's process can't be started; undefined if nothing in the config prevents it. */
  start(config: ContainerConfig, id: string): string | undefined;
}

/**
 * What the engine does where real runtimes differ from the CRI's text and from each other: the named points at which a
 * runtime profile changes it (src/profiles).
 */
export interface EngineRules {
  /** Whether the name, namespace and uid of a sandbox, and the name of a container, can be empty. */
  readonly emptyNames: boolean;
  /**
   * Whether a container's name is taken in all sandboxes of the pod that sandbox_config names in CreateContainer, or
   * in its own sandbox only.
   */
  readonly namesInPod: boolean;
  /** A runtime's own checks; undefined for those of api.proto, which are stricter. */
  readonly checks: ConfigChecks | undefined;
  /** Whether the timeouts of StopContainer and ExecSync can be negative, which means none. */
  readonly negativeTimeouts: boolean;
  /** Whether CreateContainer works in a stopped sandbox. */
  readonly createInStoppedSandbox: boolean;
  /** Whether UpdateContainerResources works on a container that has ended; nothing but its status changes. */
  readonly updateExited: boolean;
  /** Whether UpdateContainerResources without Linux resources changes nothing; else it fails. */
  readonly updatesNothing: boolean;
  /** Whether CreateContainer fails when there is no such program, where the backend can tell; else StartContainer does. */
  readonly findsProgramFirst: boolean;
  /** Whether a container that can't be started sends STOPPED. */
  readonly failedStartEvent: boolean;
  /** Whether PodSandboxStatus has containers_statuses and timestamp. */
  readonly podContainers: boolean;
  /** Whether the image in ContainerStatus has all that the config says of it, or its name only. */
  readonly wholeImages: boolean;
  /** Whether ListContainers and ContainerStatus have image_id. */
  readonly imageIds: boolean;
  /** Whether ContainerStatus has user. */
  readonly users: boolean;
  /** Whether the DELETED event of a sandbox has its status. */
  readonly deletedStatus: boolean;
  /** Whether a mount's recursive_read_only is looked at. */
  readonly recursiveReadOnly: boolean;
  /** Whether each of two RemovePodSandbox at the same time sends DELETED, the second without statuses. */
  readonly repeatsDeleted: boolean;
  /** Whether ContainerStatus has stop_signal. */
  readonly stopSignals: boolean;
  /** Whether ListContainerStats has containers that do not run; those have no usage. */
  readonly statsOfStopped: boolean;
  /** Whether PodSandboxStats and ListPodSandboxStats fail for a sandbox without a cgroup parent, and the first for one that is stopped. */
  readonly statsNeedCgroup: boolean;
  /**
   * Whether Exec, Attach, ExecSync and PortForward look for their object and its state before they check the rest, and
   * RunPodSandbox and CreateContainer for a name that is taken, and the latter for the sandbox's state.
   */
  readonly lookupFirst: boolean;
  /** Whether Attach refuses a terminal that the container lacks, Exec an empty command, and PortForward a port outside 1 to 65535. */
  readonly checksStreams: boolean;
  /** Whether Exec and Attach give out an URL in any state, and PortForward for any sandbox; the stream fails then. */
  readonly checksInStream: boolean;
  /** Whether StartContainer and RemoveContainer fail while another call starts or removes the container, or wait for it. */
  readonly refusesBusy: boolean;
  /** The resources that ContainerStatus shows, from those that are in force. */
  resources(given: ContainerResources | undefined): ContainerResources | undefined;
  /** The writable layer in stats, from the backend's, which is that of a running container; times in Unix nanoseconds. */
  writableLayer(
    given: FilesystemUsage | undefined,
    createdAt: bigint,
    now: bigint,
  ): FilesystemUsage | undefined;
  /** The message of a container that can't be started, from the backend's. */
  startFailure(message: string): string;
  /** The message of a container that StartContainer ends because its sandbox is stopped; undefined if it stays CREATED. */
  failedInStoppedSandbox(sandboxId: string): string | undefined;
  /** The runtime handlers, from those of the backend. */
  handlers(given: readonly RuntimeHandler[]): readonly RuntimeHandler[];
}

/** As api.proto says, and where it says nothing, as the invariants of docs/invariants.md. */
export const strictRules: EngineRules = {
  emptyNames: false,
  namesInPod: false,
  checks: undefined,
  negativeTimeouts: false,
  createInStoppedSandbox: false,
  updateExited: false,
  updatesNothing: false,
  findsProgramFirst: false,
  failedStartEvent: true,
  podContainers: true,
  wholeImages: true,
  imageIds: true,
  users: true,
  deletedStatus: true,
  recursiveReadOnly: true,
  repeatsDeleted: false,
  stopSignals: true,
  statsOfStopped: false,
  statsNeedCgroup: false,
  lookupFirst: false,
  checksStreams: true,
  checksInStream: false,
  refusesBusy: false,
  resources: (given) => given,
  writableLayer: (given) => given,
  startFailure: (message) => message,
  failedInStoppedSandbox: () => undefined,
  handlers: (given) => given,
};
