import type {
  ContainerConfig,
  ContainerResources,
  FilesystemUsage,
  PodSandboxConfig,
  RuntimeHandler,
} from '../../cri/gen/runtime/v1/api.js';
import type { SandboxRecord } from './state/records.js';

export interface StartError {
  readonly exitCode: number;
  readonly reason: string;
}

export interface NamedContainer {
  readonly sandboxId: string;
  /** `RUNNING` */
  readonly state: string;
}

/** How a runtime ends processes, where it differs from api.proto. */
export interface StopRules {
  /** Shortest time between the stop signal and KILL, in ms. With 0, a timeout of 0 sends KILL alone. */
  readonly leastGrace: number;
  /**
   * Time between the stop signal and KILL in StopPodSandbox and removals, in ms; unless it is 0, a client's deadline
   * replaces it.
   */
  readonly removalGrace: number;
  /** Whether a created container has a process for exec, attach and log calls; a stop ends it with SIGTERM. */
  readonly createdLives: boolean;
  /** Whether StopContainer sets the finished_at of an exited container to the present time. */
  readonly setsFinishedAgain: boolean;
}

/** When ExecSync and Exec end if their command leaves processes behind that hold one of its outputs. */
export interface ExecRules {
  /** How long to wait for these processes after the command's end, in ms. */
  readonly syncWait: number;
  readonly streamWait: number;
  /** Whether the timeout of ExecSync ends only the command, and counts only while it runs. */
  readonly timeoutOfCommand: boolean;
}

/** How a runtime checks configs, where it differs from api.proto. */
export interface ConfigChecks {
  /** Throws the error of RunPodSandbox. */
  sandbox(config: PodSandboxConfig): void;
  /** Throws the error of CreateContainer after the image was found. `find` takes an id or a prefix. */
  container(
    config: ContainerConfig,
    sandbox: Pick<SandboxRecord, 'id' | 'sharesPids'>,
    find: (id: string) => NamedContainer | undefined,
    logPath: string | undefined,
  ): void;
  /** Why the container's process can't be started; undefined if neither the config nor the log's path prevents it. */
  start(config: ContainerConfig, id: string, logPath: string | undefined): string | undefined;
}

/** The engine's behavior where real runtimes differ: the settings of runtime profiles (src/runtime/profiles). */
export interface EngineRules {
  /** Whether the name, namespace and uid of a sandbox, and the name of a container, can be empty. */
  readonly emptyNames: boolean;
  /** Whether a container's name is unique in all sandboxes of the pod in sandbox_config, or only in its own. */
  readonly namesInPod: boolean;
  /** Whether underscores join the parts of a name, so that `a_b` in `c` and `a` in `b_c` are the same name. */
  readonly joinedNames: boolean;
  /** Whether others may use a name while the object with this name is being created. */
  readonly sharesUnfinished: boolean;
  /** A runtime's own checks; undefined for those of api.proto, which are stricter. */
  readonly checks: ConfigChecks | undefined;
  /** Whether the timeouts of StopContainer and ExecSync can be negative, which means none. */
  readonly negativeTimeouts: boolean;
  readonly createInStoppedSandbox: boolean;
  /** Whether UpdateContainerResources works on an exited container; it then changes only the status. */
  readonly updateExited: boolean;
  /** Whether UpdateContainerResources without Linux resources succeeds and changes nothing; otherwise it fails. */
  readonly updatesNothing: boolean;
  /** Whether CreateContainer fails for a missing program, if the backend detects it; otherwise StartContainer fails. */
  readonly findsProgramFirst: boolean;
  /** Whether StartContainer ignores a running container, and starts an exited one again. */
  readonly startsAgain: boolean;
  /** Whether a container that can't be started is CREATED in lists, and EXITED only in its status. */
  readonly failedListedCreated: boolean;
  /** Whether a container that can't be started publishes STOPPED. */
  readonly failedStartEvent: boolean;
  /** Whether PodSandboxStatus has containers_statuses and timestamp. */
  readonly podContainers: boolean;
  /** Whether the image in ContainerStatus has all fields of the config's image, or only its name. */
  readonly wholeImages: boolean;
  /** Whether ListContainers and ContainerStatus have image_id. */
  readonly imageIds: boolean;
  /** Whether a mounted image in ContainerStatus has image_ref, its resolved reference (KEP-5365). */
  readonly mountedImageRefs: boolean;
  /** Whether image ids are only hex digits, and image_ref in ListContainers is a digest instead of the id. */
  readonly bareImageIds: boolean;
  /**
   * Whether created_at in ContainerStatus is the time when CreateContainer ends; in ListContainers it is when it
   * begins.
   */
  readonly statusCreatedLater: boolean;
  /** Whether ContainerStatus has the field user. */
  readonly users: boolean;
  /**
   * Whether a container logs in its sandbox's directory when sandbox_config of CreateContainer has no log_directory.
   */
  readonly sharesLogDirectory: boolean;
  /** Whether a mount's recursive_read_only is checked. */
  readonly recursiveReadOnly: boolean;
  /** Whether each of two concurrent RemovePodSandbox calls publishes DELETED, the second without statuses. */
  readonly repeatsDeleted: boolean;
  /**
   * Whether RemovePodSandbox ends and removes one container after the other, newest first; otherwise it ends all in
   * parallel and stops the sandbox before it removes them, oldest first.
   */
  readonly removesOneByOne: boolean;
  /** Whether a config's stop_signal is used, and shown in ContainerStatus. */
  readonly stopSignals: boolean;
  /** The containers in ListContainerStats: running, not ended, or all. Only running ones have usage. */
  readonly statsOf: 'running' | 'living' | 'all';
  /** Whether a stopped sandbox keeps its addresses, and appears in ListPodSandboxStats. */
  readonly keepsStopped: boolean;
  /** Whether PodSandboxStats and its list fail without a cgroup parent, and the first for a stopped sandbox. */
  readonly statsNeedCgroup: boolean;
  /** Whether stats of a sandbox in the host's network include that network. */
  readonly hostNetworkStats: boolean;
  /**
   * Whether Exec, Attach, ExecSync and PortForward look up their object and its state before they check the rest. If
   * so, RunPodSandbox and CreateContainer also check for a taken name first, and CreateContainer the sandbox's state.
   */
  readonly lookupFirst: boolean;
  /** Whether Attach refuses a missing terminal, Exec an empty command, PortForward a port outside 1 to 65535. */
  readonly checksStreams: boolean;
  /** Whether Exec, Attach and PortForward return a URL for any id; the stream then fails. */
  readonly checksInStream: boolean;
  /**
   * Whether WebSocket clients may choose protocols that Kubernetes specifies and no runtime's server has:
   * `v5.channel.k8s.io` for exec and attach, and a tunnel for port-forward (cri-streaming 0.37, remotecommand and
   * portforward websocket.go).
   */
  readonly newestSubprotocols: boolean;
  readonly portRefused: (sandboxId: string, port: number) => string;
  readonly execs: ExecRules;
  readonly stops: StopRules;
  /** Whether a concurrent start or removal makes StartContainer and RemoveContainer fail; otherwise they wait. */
  readonly refusesBusy: boolean;
  resources(given: ContainerResources | undefined): ContainerResources | undefined;
  /** Converts the backend's writable layer of a running container to that in stats; times in Unix nanoseconds. */
  writableLayer(
    given: FilesystemUsage | undefined,
    createdAt: bigint,
    now: bigint,
  ): FilesystemUsage | undefined;
  startsAlone(config: () => ContainerConfig): boolean;
  /** Whether a container keeps running when its sandbox is stopped; `config` decodes its config. */
  outlivesSandbox(config: () => ContainerConfig): boolean;
  startError(message: string): StartError;
  startFailure(message: string): string;
  /** The message of a container that a start in a stopped sandbox ends; undefined if it stays CREATED. */
  failedInStoppedSandbox(sandboxId: string): string | undefined;
  handlers(given: readonly RuntimeHandler[]): readonly RuntimeHandler[];
}

/** The rules of api.proto; where it leaves something open, the invariants of docs/results/invariants.md apply. */
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
  // cri-api doesn't mention processes that a command leaves behind, so their output doesn't count as the command's.
  execs: { syncWait: 0, streamWait: 0, timeoutOfCommand: false },
  stops: { leastGrace: 0, removalGrace: 0, createdLives: false, setsFinishedAgain: false },
  refusesBusy: false,
  resources: (given) => given,
  writableLayer: (given) => given,
  startsAlone: () => false,
  outlivesSandbox: () => false,
  // The same as in containerd (container_start.go).
  startError: () => ({ exitCode: 128, reason: 'StartError' }),
  startFailure: (message) => message,
  failedInStoppedSandbox: () => undefined,
  handlers: (given) => given,
};
