import type {
  ContainerConfig,
  ContainerResources,
  FilesystemUsage,
  PodSandboxConfig,
  RuntimeHandler,
} from '../../cri/gen/runtime/v1/api.js';
import type { SandboxRecord } from './state/records.js';

/** What the status of a container shows that could not be started. */
export interface StartError {
  readonly exitCode: number;
  readonly reason: string;
}

/** A container that another one's config names. */
export interface NamedContainer {
  readonly sandboxId: string;
  /** `RUNNING` */
  readonly state: string;
}

/** How a runtime ends processes, where it differs from api.proto. */
export interface StopRules {
  /** The least time between the stop signal and KILL, in ms. With 0, a timeout of 0 sends KILL alone. */
  readonly leastGrace: number;
  /**
   * The time between the two in StopPodSandbox, RemoveContainer and RemovePodSandbox, in ms. If it is not 0, a client's
   * deadline replaces it.
   */
  readonly removalGrace: number;
  /**
   * Whether a created container has a process, which waits for its start: ExecSync, Exec, Attach and ReopenContainerLog
   * work, and StopContainer and StopPodSandbox end it by SIGTERM.
   */
  readonly createdLives: boolean;
  /** Whether StopContainer sets finished_at of a container that has ended to the present time. */
  readonly setsFinishedAgain: boolean;
}

/** What a runtime looks at in configs, where it differs from api.proto. */
export interface ConfigChecks {
  /** Throws what RunPodSandbox fails with. */
  sandbox(config: PodSandboxConfig): void;
  /** Throws what CreateContainer fails with, once the image was found. `find` takes an id or a prefix. */
  container(
    config: ContainerConfig,
    sandbox: Pick<SandboxRecord, 'id' | 'sharesPids'>,
    find: (id: string) => NamedContainer | undefined,
    logPath: string | undefined,
  ): void;
  /** Why the container's process can't be started; undefined if neither the config nor the log's path prevents it. */
  start(config: ContainerConfig, id: string, logPath: string | undefined): string | undefined;
}

/**
 * What the engine does where real runtimes differ from the CRI's text and from each other: the named points at which a
 * runtime profile changes it (src/runtime/profiles).
 */
export interface EngineRules {
  /** Whether the name, namespace and uid of a sandbox, and the name of a container, can be empty. */
  readonly emptyNames: boolean;
  /**
   * Whether a container's name is taken in all sandboxes of the pod that sandbox_config names in CreateContainer, or
   * in its own sandbox only.
   */
  readonly namesInPod: boolean;
  /** Whether the parts of a name are joined by underscores, so that those of `a_b` in `c` and `a` in `b_c` are one. */
  readonly joinedNames: boolean;
  /** Whether a name is free for others as long as the object that has it is being made. */
  readonly sharesUnfinished: boolean;
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
  /** Whether StartContainer does nothing to a running container, and starts one again that has ended. */
  readonly startsAgain: boolean;
  /** Whether a container that can't be started is CREATED in lists, and EXITED in its status only. */
  readonly failedListedCreated: boolean;
  /** Whether a container that can't be started sends STOPPED. */
  readonly failedStartEvent: boolean;
  /** Whether PodSandboxStatus has containers_statuses and timestamp. */
  readonly podContainers: boolean;
  /** Whether the image in ContainerStatus has all that the config says of it, or its name only. */
  readonly wholeImages: boolean;
  /** Whether ListContainers and ContainerStatus have image_id. */
  readonly imageIds: boolean;
  /** Whether a mounted image in ContainerStatus has image_ref: what it was resolved to (KEP-5365). */
  readonly mountedImageRefs: boolean;
  /** Whether image ids are hex digits alone, and image_ref in ListContainers is a digest instead of the id. */
  readonly bareImageIds: boolean;
  /** Whether created_at in ContainerStatus is the end of the work of CreateContainer; in ListContainers it is the beginning. */
  readonly statusCreatedLater: boolean;
  /** Whether ContainerStatus has user. */
  readonly users: boolean;
  /** Whether the DELETED event of a sandbox has its status. */
  readonly deletedStatus: boolean;
  /** Whether a container logs in its sandbox's directory when sandbox_config of CreateContainer has no log_directory. */
  readonly sharesLogDirectory: boolean;
  /** Whether a mount's recursive_read_only is looked at. */
  readonly recursiveReadOnly: boolean;
  /** Whether each of two RemovePodSandbox at the same time sends DELETED, the second without statuses. */
  readonly repeatsDeleted: boolean;
  /**
   * Whether RemovePodSandbox ends and removes one container after the other, newest first; else it ends all at once and stops
   * the sandbox before it removes them, oldest first.
   */
  readonly removesOneByOne: boolean;
  /** Whether a config's stop_signal is known: obeyed, and in ContainerStatus. */
  readonly stopSignals: boolean;
  /** Which containers ListContainerStats has: those that run, those that have not ended, or all. Only the first have usage. */
  readonly statsOf: 'running' | 'living' | 'all';
  /** Whether a stopped sandbox keeps its addresses, and is in ListPodSandboxStats. */
  readonly keepsStopped: boolean;
  /** Whether PodSandboxStats and ListPodSandboxStats fail for a sandbox without a cgroup parent, and the first for one that is stopped. */
  readonly statsNeedCgroup: boolean;
  /** Whether stats of a sandbox in the network of the host have that network. */
  readonly hostNetworkStats: boolean;
  /**
   * Whether Exec, Attach, ExecSync and PortForward look for their object and its state before they check the rest, and
   * RunPodSandbox and CreateContainer for a name that is taken, and the latter for the sandbox's state.
   */
  readonly lookupFirst: boolean;
  /** Whether Attach refuses a terminal that the container lacks, Exec an empty command, and PortForward a port outside 1 to 65535. */
  readonly checksStreams: boolean;
  /** Whether Exec, Attach and PortForward give out an URL for any id; the stream fails then. */
  readonly checksInStream: boolean;
  /**
   * Whether WebSocket clients may choose what Kubernetes specifies and no runtime's server has: `v5.channel.k8s.io` for exec
   * and attach, and a tunnel for port-forward (cri-streaming 0.37, remotecommand and portforward websocket.go).
   */
  readonly newestSubprotocols: boolean;
  /** Why a port-forward fails if nothing listens at the port of the sandbox. */
  readonly portRefused: (sandboxId: string, port: number) => string;
  /** How processes are ended. */
  readonly stops: StopRules;
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
  /** Whether a container can be started in a stopped sandbox. */
  startsAlone(config: () => ContainerConfig): boolean;
  /** Whether a container keeps running when its sandbox is stopped; its config is decoded when it is asked for. */
  outlivesSandbox(config: () => ContainerConfig): boolean;
  /** How a container ends that can't be started, from the backend's message. */
  startError(message: string): StartError;
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
  joinedNames: false,
  sharesUnfinished: false,
  checks: undefined,
  negativeTimeouts: false,
  createInStoppedSandbox: false,
  updateExited: false,
  updatesNothing: false,
  findsProgramFirst: false,
  startsAgain: false,
  failedListedCreated: false,
  failedStartEvent: true,
  podContainers: true,
  wholeImages: true,
  imageIds: true,
  mountedImageRefs: true,
  bareImageIds: false,
  statusCreatedLater: false,
  users: true,
  deletedStatus: true,
  sharesLogDirectory: true,
  recursiveReadOnly: true,
  repeatsDeleted: false,
  removesOneByOne: false,
  stopSignals: true,
  statsOf: 'running',
  keepsStopped: false,
  statsNeedCgroup: false,
  hostNetworkStats: true,
  lookupFirst: false,
  checksStreams: true,
  checksInStream: false,
  newestSubprotocols: true,
  portRefused: (_id, port) => `failed to connect to port ${port} inside the pod: connection refused`,
  stops: { leastGrace: 0, removalGrace: 0, createdLives: false, setsFinishedAgain: false },
  refusesBusy: false,
  resources: (given) => given,
  writableLayer: (given) => given,
  startsAlone: () => false,
  outlivesSandbox: () => false,
  // As containerd (container_start.go).
  startError: () => ({ exitCode: 128, reason: 'StartError' }),
  startFailure: (message) => message,
  failedInStoppedSandbox: () => undefined,
  handlers: (given) => given,
};
