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
 * The port between the engine, which owns ids, names, states, order and events, and whatever really runs the
 * containers. The engine calls an operation only in a state that allows it, and never two operations on one pod at
 * once, except those marked concurrent. A backend throws `CriError` for errors that clients may see; whatever it made
 * before it threw, it has undone. What a backend lacks it leaves out of `capabilities`; the engine answers
 * UNIMPLEMENTED for it. Operations run inside the RPC's task on the clock: one that waits for a process or for time
 * does so in `clock.idle` or `clock.sleep`.
 */
export interface Backend {
  /** Reported by Version as runtime_name and runtime_version. */
  readonly info: { readonly name: string; readonly version: string };
  readonly capabilities: BackendCapabilities;
  /** Connects, and returns what already exists. Called once, before anything else. */
  open(host: BackendHost): Promise<Inventory>;
  /** Lets go of everything; simulated containers end, real ones keep running. */
  close(): Promise<void>;

  /** Makes and starts a sandbox; resolves once it is READY. */
  runSandbox(spec: SandboxSpec, call: BackendCall): Promise<SandboxRuntime>;
  /** Frees the sandbox's network and ends its own process. Its containers were stopped before. Idempotent. */
  stopSandbox(sandboxId: string, call: BackendCall): Promise<void>;
  /** Forgets a stopped sandbox. Idempotent. */
  removeSandbox(sandboxId: string, call: BackendCall): Promise<void>;

  createContainer(spec: ContainerSpec, call: BackendCall): Promise<ContainerRuntime>;
  /** Throws `StartFailure` if a created container's program can't be executed. Left out by a backend that can't tell. */
  checkProgram?(containerId: string): Promise<void>;
  /** Resolves once the process runs. Throws `StartFailure` when it can't be started: the container is EXITED then. */
  startContainer(containerId: string, call: BackendCall): Promise<void>;
  /**
   * When a container that has just been started was started, in Unix nanoseconds; the engine's own time if undefined.
   * For a backend that will tell the same in an inventory (INV-53).
   */
  startedAt?(containerId: string): bigint | undefined;
  /**
   * Sends the stop signal, waits up to `timeout` ms, then kills; with 0 kills at once (cri-api StopContainer).
   * Resolves when the exit has been reported to the host. Concurrent, so that a grace period holds up nothing else
   * in the pod; a later call with a shorter timeout shortens the wait.
   */
  stopContainer(containerId: string, stop: StopSpec, call: BackendCall): Promise<void>;
  /**
   * Learns the end of a container that was never started (EngineRules.stops.createdLives). Left out by a backend that
   * does nothing with it.
   */
  endedBeforeStart?(exit: ContainerExit): void;
  /** Forgets a container that does not run. Idempotent. */
  removeContainer(containerId: string, call: BackendCall): Promise<void>;
  /** Concurrent. After it returns, new output goes to a file newly opened at the log path. */
  reopenLog(containerId: string, call: BackendCall): Promise<void>;
  /** All or nothing (cri-api UpdateContainerResources). Returns what is in force now. */
  updateContainerResources(
    containerId: string,
    resources: LinuxContainerResources,
    call: BackendCall,
  ): Promise<ContainerResources>;

  /** Learns the limits of a pod that a client has changed. Left out by a backend that does nothing with them. */
  updateSandboxResources?(sandboxId: string, resources: SandboxLimits, call: BackendCall): Promise<void>;

  /**
   * Concurrent. Ends a running container's main process as if it had ended by itself, for fault injection and the
   * control API; resolves when the exit has been reported to the host. Left out by a backend that can't.
   */
  injectExit?(containerId: string, exit: InjectedExit): Promise<void>;

  /** Concurrent. Runs a process in a RUNNING container; resolves with its exit code once both outputs are written. */
  exec(containerId: string, spec: ExecSpec, streams: ProcessStreams, call: BackendCall): Promise<number>;
  /** Concurrent. Joins the container's main process; resolves when it ends or the client goes. */
  attach(containerId: string, streams: ProcessStreams, call: BackendCall): Promise<void>;
  /** Concurrent. Connects `connection` to a TCP port inside the sandbox; resolves when both directions are closed. */
  portForward(sandboxId: string, port: number, connection: Duplex, call: BackendCall): Promise<void>;

  /** Concurrent. Usage of running containers; an id that does not run is left out of the answer. */
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

/** What a backend can do; for what is false here the engine answers UNIMPLEMENTED. */
export interface BackendCapabilities {
  /** "" is the default handler and must be there (cri-api StatusResponse.runtime_handlers). */
  readonly runtimeHandlers: readonly RuntimeHandler[];
  /** StatusResponse.features. */
  readonly features: RuntimeFeatures;
  /** What RuntimeConfig tells the kubelet. */
  readonly cgroupDriver: 'systemd' | 'cgroupfs';
  readonly attach: boolean;
  readonly portForward: boolean;
  readonly updateResources: boolean;
}

/** What the engine offers to its backend. */
export interface BackendHost {
  /** A program of this machine reaches the pods at their addresses, so that no other server's pods may have them. Default: none does. */
  readonly sharesMachine?: boolean;
  /** A container's main process ended. Reported exactly once per start; the time is Unix nanoseconds. */
  containerExited(exit: ContainerExit): void;
  /** The limits of a container changed without the client's asking. */
  resourcesChanged(containerId: string, resources: ContainerResources): void;
  /** The sandbox died without being asked to. */
  sandboxExited(sandboxId: string): void;
  /** RuntimeReady or NetworkReady changed (cri-api RuntimeCondition). */
  conditionChanged(condition: BackendCondition): void;
  /** Someone removed an object behind the engine's back. */
  containerVanished(containerId: string): void;
  sandboxVanished(sandboxId: string): void;
  /**
   * The config that an object was made with. It is decoded for each call, so that a backend with many containers need
   * not hold what the engine has in wire form. Throws `not-found`.
   */
  containerConfig(containerId: string): ContainerConfig;
  sandboxConfig(sandboxId: string): PodSandboxConfig;
}

/** One of the conditions that Status reports (cri-api RuntimeCondition). */
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

/** What UpdatePodSandboxResources sets; what is undefined stays. */
export interface SandboxLimits {
  readonly overhead: LinuxContainerResources | undefined;
  readonly resources: LinuxContainerResources | undefined;
}

/** What a backend made of a sandbox. */
export interface SandboxRuntime {
  /** First is the primary address; empty for host network. */
  readonly ips: readonly string[];
}

/** A container to create: the engine has checked the config, found the image, and reserved name and id. */
export interface ContainerSpec {
  readonly id: string;
  readonly sandboxId: string;
  readonly config: ContainerConfig;
  /** As given in the CreateContainer request. */
  readonly sandboxConfig: PodSandboxConfig;
  /** The resolved image. */
  readonly image: Image;
  /** join(log_directory, log_path), or undefined when either is empty: then nothing is logged. */
  readonly logPath: string | undefined;
  /** Unix nanoseconds. */
  readonly createdAt: bigint;
}

/** What a backend made of a container. */
export interface ContainerRuntime {
  /** Reported as ContainerStatus.user. */
  readonly user: ContainerUser | undefined;
  /** Reported as ContainerStatus.resources. */
  readonly resources: ContainerResources | undefined;
  /** The signal that StopContainer sends: config's, else the image's, else TERM. */
  readonly stopSignal: Signal;
}

/** How a container is stopped. */
export interface StopSpec {
  /** Grace in ms; 0 kills at once. */
  readonly timeout: number;
}

/** What Exec and ExecSync run. */
export interface ExecSpec {
  readonly command: readonly string[];
  readonly tty: boolean;
  /** Whether it is an ExecSync: what a kubelet runs for itself, such as a probe or a hook. */
  readonly isSync?: boolean;
}

/** The ends a client holds. A stream that was not asked for is undefined. With tty there is no stderr. */
export interface ProcessStreams {
  readonly stdin?: Readable | undefined;
  readonly stdout?: Writable | undefined;
  readonly stderr?: Writable | undefined;
  /** Terminal sizes as the client sends them. */
  readonly resize?: AsyncIterable<TerminalSize> | undefined;
}

/** In characters. */
export interface TerminalSize {
  readonly width: number;
  readonly height: number;
}

/** How a container’s main process ended. */
export interface ContainerExit {
  readonly containerId: string;
  readonly exitCode: number;
  /** `OOMKilled`, or undefined: then the engine derives Completed or Error from the code. */
  readonly reason?: string;
  /** Shown as ContainerStatus.message. */
  readonly message?: string;
  /** Unix nanoseconds. */
  readonly finishedAt: bigint;
}

/** An end that a fault or the control API asks for. */
export interface InjectedExit {
  /** Shown as it is given; that of a process which a signal ended is 128 plus the signal's number. */
  readonly exitCode: number;
  /** `OOMKilled`, or undefined: then the engine derives it from the code. */
  readonly reason?: string;
}

/** A container whose process can't be started: status EXITED, exit code 128, reason StartError (containerd). */
export class StartFailure extends Error {
  override readonly name = 'StartFailure';
}

/** What a backend found when it was opened. */
export interface Inventory {
  readonly sandboxes: readonly RecoveredSandbox[];
  readonly containers: readonly RecoveredContainer[];
}

/** A sandbox that was there before the engine. */
export interface RecoveredSandbox {
  readonly spec: SandboxSpec;
  readonly runtime: SandboxRuntime;
  readonly ready: boolean;
}

/** A container that was there before the engine. */
export interface RecoveredContainer {
  readonly spec: ContainerSpec;
  readonly runtime: ContainerRuntime;
  readonly state: 'created' | 'running' | 'exited';
  /** Unix nanoseconds; 0 if it never was. */
  readonly startedAt: bigint;
  /** How it ended, if it has. */
  readonly exit?: ContainerExit;
}

/** Checkpoint and restore, as cri-api CheckpointContainer, CheckpointPod and RestorePod need them. */
export interface CheckpointBackend {
  /** Stops the container's time until `resumeContainer`. */
  pauseContainer(containerId: string): Promise<void>;
  resumeContainer(containerId: string): Promise<void>;
  /** Writes everything needed to restore into one new file. */
  saveContainer(containerId: string, file: string, call: BackendCall): Promise<void>;
  /** Like createContainer, continuing from a saved file when started. */
  restoreContainer(spec: ContainerSpec, file: string, call: BackendCall): Promise<ContainerRuntime>;
}
