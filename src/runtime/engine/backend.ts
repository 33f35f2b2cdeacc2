import type { Duplex, Readable, Writable } from 'node:stream';
import type {
  ContainerConfig,
  ContainerResources,
  ContainerUser,
  Image,
  LinuxContainerResources,
  PodSandboxConfig,
  RuntimeFeatures,
  RuntimeHandler,
  Signal,
} from '../../cri/gen/runtime/v1/api.js';
import type { BackendCall } from './backend/call.js';
import type { ImageBackend } from './backend/images.js';
import type { ContainerUsage, MetricsBackend, SandboxUsage } from './backend/usage.js';

/**
 * The port between the engine, which owns ids, names, states, order and events, and the backend, which runs the
 * containers. The engine calls an operation only in a state that allows it, and never two operations on one pod
 * concurrently, except those marked concurrent. A backend throws `CriError` for errors that clients may see, after it
 * has undone its changes. Features that a backend lacks are missing from `capabilities`; the engine returns
 * UNIMPLEMENTED for them. Operations run inside the RPC's task on the clock: an operation waits for processes in
 * `clock.idle`, and for time in `clock.sleep`.
 */
export interface Backend {
  /** Reported by Version as runtime_name and runtime_version. */
  readonly info: { readonly name: string; readonly version: string };
  readonly capabilities: BackendCapabilities;
  /** Connects, and returns what already exists. Called once, before anything else. */
  open(host: BackendHost): Promise<Inventory>;
  /** Releases all resources; simulated containers end, real ones keep running. */
  close(): Promise<void>;

  /** Makes and starts a sandbox; resolves once it is READY. */
  runSandbox(spec: SandboxSpec, call: BackendCall): Promise<SandboxRuntime>;
  /** Frees the sandbox's network and ends its own process. The engine has stopped its containers. Idempotent. */
  stopSandbox(sandboxId: string, call: BackendCall): Promise<void>;
  /** Forgets a stopped sandbox. Idempotent. */
  removeSandbox(sandboxId: string, call: BackendCall): Promise<void>;

  createContainer(spec: ContainerSpec, call: BackendCall): Promise<ContainerRuntime>;
  /** Throws `StartFailure` if a created container's program can't be executed. Undefined if the backend can't know. */
  checkProgram?(containerId: string): Promise<void>;
  /** Resolves once the process runs. Throws `StartFailure` when it can't be started: the container is then EXITED. */
  startContainer(containerId: string, call: BackendCall): Promise<void>;
  /** Start time of a just started container in Unix nanoseconds; undefined: the engine's own time (INV-53). */
  startedAt?(containerId: string): bigint | undefined;
  /**
   * Sends the stop signal, waits up to `timeout` ms, then kills; 0 kills immediately (cri-api StopContainer). Resolves
   * when the exit has been reported to the host. Concurrent, so that a grace period blocks nothing else in the pod; a
   * later call with a shorter timeout shortens the wait.
   */
  stopContainer(containerId: string, stop: StopSpec, call: BackendCall): Promise<void>;
  /** Learns of the end of a container that never started (EngineRules.stops.createdLives). Optional. */
  endedBeforeStart?(exit: ContainerExit): void;
  /** Forgets a container that isn't running. Idempotent. */
  removeContainer(containerId: string, call: BackendCall): Promise<void>;
  /** Concurrent. After it returns, new output goes to a file newly opened at the log path. */
  reopenLog(containerId: string, call: BackendCall): Promise<void>;
  /** All or nothing (cri-api UpdateContainerResources). Returns the effective resources. */
  updateContainerResources(
    containerId: string,
    resources: LinuxContainerResources,
    call: BackendCall,
  ): Promise<ContainerResources>;

  /** Receives the limits of a pod that a client has changed. Undefined if the backend ignores them. */
  updateSandboxResources?(sandboxId: string, resources: SandboxLimits, call: BackendCall): Promise<void>;

  /** Concurrent. Ends a container's main process, for faults and the control API; resolves after the exit's report. */
  injectExit?(containerId: string, exit: InjectedExit): Promise<void>;

  /** Concurrent. Runs a process in a RUNNING container; resolves with its exit code once both outputs are written. */
  exec(containerId: string, spec: ExecSpec, streams: ProcessStreams, call: BackendCall): Promise<number>;
  /** Concurrent. Attaches to the container's main process; resolves when it ends or the client disconnects. */
  attach(containerId: string, streams: ProcessStreams, call: BackendCall): Promise<void>;
  /** Concurrent. Connects `connection` to a TCP port inside the sandbox; resolves when both directions are closed. */
  portForward(sandboxId: string, port: number, connection: Duplex, call: BackendCall): Promise<void>;

  /** Concurrent. Usage of running containers; containers that don't run are missing from the result. */
  containerUsage(containerIds: readonly string[]): Promise<ReadonlyMap<string, ContainerUsage>>;
  /** Concurrent. Usage of ready sandboxes, without their containers. */
  sandboxUsage(sandboxIds: readonly string[]): Promise<ReadonlyMap<string, SandboxUsage>>;

  /** JSON-able detail for verbose status replies. */
  inspectSandbox(sandboxId: string): Promise<Record<string, unknown>>;
  inspectContainer(containerId: string): Promise<Record<string, unknown>>;

  readonly images: ImageBackend;
  readonly metrics?: MetricsBackend;
  readonly checkpoints?: CheckpointBackend;
}

/** The features of a backend; the engine returns UNIMPLEMENTED for those that are false. */
export interface BackendCapabilities {
  /** "" is the default handler and is required (cri-api StatusResponse.runtime_handlers). */
  readonly runtimeHandlers: readonly RuntimeHandler[];
  readonly features: RuntimeFeatures;
  /** Reported to the kubelet by RuntimeConfig. */
  readonly cgroupDriver: 'systemd' | 'cgroupfs';
  readonly attach: boolean;
  readonly portForward: boolean;
  readonly updateResources: boolean;
}

export interface BackendHost {
  /** Whether this machine's programs reach pods by address, which must then be unique on it. Default: false. */
  readonly sharesMachine?: boolean;
  /** A container's main process ended. Reported exactly once per start; the time is Unix nanoseconds. */
  containerExited(exit: ContainerExit): void;
  /** The limits of a container changed without a client's request. */
  resourcesChanged(containerId: string, resources: ContainerResources): void;
  /** The sandbox died without a client's request. */
  sandboxExited(sandboxId: string): void;
  /** RuntimeReady or NetworkReady changed (cri-api RuntimeCondition). */
  conditionChanged(condition: BackendCondition): void;
  /** Something other than the engine removed an object. */
  containerVanished(containerId: string): void;
  sandboxVanished(sandboxId: string): void;
  /** The config of the object's creation, decoded for each call to save memory. Throws `not-found`. */
  containerConfig(containerId: string): ContainerConfig;
  sandboxConfig(sandboxId: string): PodSandboxConfig;
}

export interface BackendCondition {
  readonly type: 'RuntimeReady' | 'NetworkReady';
  readonly status: boolean;
  readonly reason: string;
  readonly message: string;
}

/** A sandbox to run: the engine has checked the config, and reserved name and id. */
export interface SandboxSpec {
  readonly id: string;
  readonly config: PodSandboxConfig;
  readonly runtimeHandler: string;
  /** Unix nanoseconds. */
  readonly createdAt: bigint;
}

/** Limits set by UpdatePodSandboxResources; undefined leaves a limit unchanged. */
export interface SandboxLimits {
  readonly overhead: LinuxContainerResources | undefined;
  readonly resources: LinuxContainerResources | undefined;
}

export interface SandboxRuntime {
  /** The primary address comes first; empty for host network. */
  readonly ips: readonly string[];
}

/** A container to create: the engine has checked the config, found the image, and reserved name and id. */
export interface ContainerSpec {
  readonly id: string;
  readonly sandboxId: string;
  readonly config: ContainerConfig;
  /** As given in the CreateContainer request. */
  readonly sandboxConfig: PodSandboxConfig;
  readonly image: Image;
  /** join(log_directory, log_path), or undefined when either is empty: then nothing is logged. */
  readonly logPath: string | undefined;
  /** Unix nanoseconds. */
  readonly createdAt: bigint;
}

export interface ContainerRuntime {
  readonly user: ContainerUser | undefined;
  readonly resources: ContainerResources | undefined;
  /** The signal that StopContainer sends: the config's, otherwise the image's, otherwise TERM. */
  readonly stopSignal: Signal;
}

export interface StopSpec {
  /** Grace period in ms; 0 kills immediately. */
  readonly timeout: number;
}

export interface ExecSpec {
  readonly command: readonly string[];
  readonly tty: boolean;
  /** Whether it is an ExecSync: a kubelet's own command, such as a probe or a hook. */
  readonly isSync?: boolean;
  /** How long, in ms, to wait for processes that hold an output of a command that has ended. Default: 0. */
  readonly outputWait?: number;
  /** Aborts when the command has to end, but not its background processes. */
  readonly expired?: AbortSignal;
  /** The command itself has ended. */
  ended?(): void;
}

/** The streams that a client has requested; the others are undefined. With tty there is no stderr. */
export interface ProcessStreams {
  readonly stdin?: Readable | undefined;
  readonly stdout?: Writable | undefined;
  readonly stderr?: Writable | undefined;
  readonly resize?: AsyncIterable<TerminalSize> | undefined;
}

/** In characters. */
export interface TerminalSize {
  readonly width: number;
  readonly height: number;
}

export interface ContainerExit {
  readonly containerId: string;
  readonly exitCode: number;
  /** `OOMKilled`; if undefined, the engine derives Completed or Error from the code. */
  readonly reason?: string;
  /** Shown as ContainerStatus.message. */
  readonly message?: string;
  /** Unix nanoseconds. */
  readonly finishedAt: bigint;
}

export interface InjectedExit {
  /** Shown unchanged; a process that a signal ended has 128 plus the signal's number. */
  readonly exitCode: number;
  /** `OOMKilled`; if undefined, the engine derives it from the code. */
  readonly reason?: string;
}

/** A container whose process can't be started: status EXITED, exit code 128, reason StartError (containerd). */
export class StartFailure extends Error {
  override readonly name = 'StartFailure';
}

export interface Inventory {
  readonly sandboxes: readonly RecoveredSandbox[];
  readonly containers: readonly RecoveredContainer[];
}

export interface RecoveredSandbox {
  readonly spec: SandboxSpec;
  readonly runtime: SandboxRuntime;
  readonly ready: boolean;
}

export interface RecoveredContainer {
  readonly spec: ContainerSpec;
  readonly runtime: ContainerRuntime;
  readonly state: 'created' | 'running' | 'exited';
  /** Unix nanoseconds; 0 if it never started. */
  readonly startedAt: bigint;
  readonly exit?: ContainerExit;
}

/** Checkpoint and restore (cri-api CheckpointContainer, CheckpointPod and RestorePod). */
export interface CheckpointBackend {
  /** Stops the container's time until `resumeContainer`. */
  pauseContainer(containerId: string): Promise<void>;
  resumeContainer(containerId: string): Promise<void>;
  saveContainer(containerId: string, file: string, call: BackendCall): Promise<void>;
  /** Like createContainer; the container continues from the saved file when it starts. */
  restoreContainer(spec: ContainerSpec, file: string, call: BackendCall): Promise<ContainerRuntime>;
}
