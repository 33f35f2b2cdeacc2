import { randomBytes } from 'node:crypto';
import type { Clock } from '../../src/clock/clock.js';
import { StatusError, wrongState } from '../../src/cri/errors.js';
import {
  type ContainerConfig,
  type ContainerResources,
  type LinuxContainerResources,
  Signal,
} from '../../src/cri/gen/runtime/v1/api.js';
import {
  type ContainerExit,
  type ContainerSpec,
  type ExecSpec,
  type InjectedExit,
  type ProcessStreams,
  StartFailure,
} from '../../src/engine/backend.js';
import { behaviorProgram, execExitOf } from './behavior/behavior-program.js';
import type { Behavior } from './behavior/parse-behavior.js';
import type { Programs } from './commands/programs.js';
import { startEnvironment } from './container-env.js';
import { type ContainerIo, openContainerIo } from './container-io.js';
import { type Inside, LiveView, type StaticView } from './container-view.js';
import { openExecStreams } from './exec-streams.js';
import type { ImageContent } from './images/catalog.js';
import { listenOn } from './network.js';
import type { ContainerFiles } from './process/file-system.js';
import type {
  ContainerView,
  Listener,
  Process,
  ProcessUser,
  Program,
  SignalName,
} from './process/process.js';
import { createProcessTable, type ProcessTable, type SpawnedProcess } from './process/process-table.js';
import { exitCodeOf } from './process/signals.js';
import { memoryLimitOf, mergeResources } from './resources.js';
import type { UsageSource } from './usage.js';

export interface MemoryContainerOptions {
  readonly clock: Clock;
  readonly spec: ContainerSpec;
  readonly view: StaticView;
  readonly user: ProcessUser;
  readonly image: ImageContent | undefined;
  /** What it does instead of its command line. */
  readonly behavior: Behavior | undefined;
  /** How long it had run before it was checkpointed, in ms; 0 for a new one. */
  readonly restoredAge: number;
  readonly programs: Programs;
  /** Made when the container starts; one that never starts needs none. */
  readonly fileSystem: (
    view: ContainerView,
    resources: () => LinuxContainerResources | undefined,
  ) => ContainerFiles;
  /** Where a port that a process listens on is reachable. */
  readonly bindings: (port: number) => readonly (readonly [string, number])[];
  readonly exited: (exit: ContainerExit) => void;
  readonly warn: (message: string, error: unknown) => void;
}

interface Running {
  readonly processes: ProcessTable;
  readonly main: SpawnedProcess;
  /** What the main process began with; exec gets the same. */
  readonly env: ReadonlyMap<string, string>;
  readonly cwd: string;
  readonly fs: ContainerFiles;
  readonly io: ContainerIo;
  readonly startedAt: bigint;
  /** Settles once the exit has been reported. */
  readonly ended: Promise<void>;
}

/** One simulated container: its processes, streams and limits. */
export class MemoryContainer implements Inside {
  readonly spec: ContainerSpec;
  readonly stopSignal: Signal;
  readonly #options: MemoryContainerOptions;
  #resources: LinuxContainerResources | undefined;
  #running: Running | undefined;
  #injected: InjectedExit | undefined;

  constructor(options: MemoryContainerOptions) {
    this.#options = options;
    this.spec = options.spec;
    this.stopSignal = options.spec.config.stopSignal || Signal.SIGNAL_SIGTERM;
    this.#resources = options.spec.config.linux?.resources;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  get resources(): ContainerResources {
    return { linux: this.#resources, windows: undefined };
  }

  get user(): ProcessUser {
    return this.#options.user;
  }

  get argv(): readonly string[] {
    const { command, args } = this.spec.config;
    if (command.length > 0) return [...command, ...args];
    const { entrypoint = [], command: fallback = ['sh'] } = this.#options.image ?? {};
    return [...entrypoint, ...(args.length > 0 ? args : fallback)];
  }

  /** Resolves once the process runs; throws StartFailure when it can't. */
  async start(signal: AbortSignal): Promise<void> {
    const { clock, spec, behavior, restoredAge, warn } = this.#options;
    if (behavior?.startDelay !== undefined) await clock.sleep(behavior.startDelay, signal);
    if (behavior?.startFails !== undefined) throw new StartFailure(behavior.startFails);
    const view = new LiveView(this.#options.view, this);
    const makeFiles = () => this.#options.fileSystem(view, () => this.#resources);
    const fs = makeFiles();
    const { env, cwd } = startEnvironment(
      spec.config,
      this.#options.image,
      this.#options.user,
      view.hostname,
    );
    // Looked up in files of its own, which are dropped: mounted ones take 18 KiB, and most programs never open a file.
    const program = behavior
      ? behaviorProgram(behavior, restoredAge)
      : await this.#find(this.argv, { fs: makeFiles(), cwd, env }).catch((error: StartFailure) => {
          throw new StartFailure(`${NOT_CREATED}: ${error.message}`);
        });
    const io = await openContainerIo({ clock, spec, warn });
    const processes = createProcessTable({
      clock,
      fs,
      view,
      listen: (port, accept) => this.#listen(port, accept),
    });
    const { user } = this.#options;
    const { stdin, stdout, stderr, tty } = io;
    const main = processes.start({ argv: this.argv, program, env, cwd, user, stdin, stdout, stderr, tty });
    const ended = clock.run(() => this.#finish(main, processes, io));
    this.#running = { processes, main, env, cwd, fs, io, startedAt: clock.now(), ended };
  }

  /** Sends the stop signal, and kills after `timeout` ms. Resolves when the exit has been reported. */
  async stop(timeout: number, signal: AbortSignal): Promise<void> {
    const running = this.#running;
    if (running === undefined) return;
    if (timeout > 0) {
      running.processes.kill(running.main.pid, signalOf(this.stopSignal));
      await this.#endedWithin(running.ended, timeout, signal);
    }
    await this.kill();
  }

  async kill(): Promise<void> {
    const running = this.#running;
    if (running === undefined) return;
    running.processes.killAll({ signal: 'KILL' });
    await this.#options.clock.idle(running.ended);
  }

  /** Ends it as if by itself. Only one exit is ever reported. */
  async injectExit(exit: InjectedExit): Promise<void> {
    const running = this.#alive();
    if (this.#injected) throw wrongState(`container ${this.spec.id} is ending already`);
    this.#injected = exit;
    running.processes.killAll({ code: exit.exitCode });
    await this.#options.clock.idle(running.ended);
  }

  /** How long it has run, in ms. */
  get age(): number {
    const { clock, restoredAge } = this.#options;
    const startedAt = this.#running?.startedAt;
    return restoredAge + (startedAt === undefined ? 0 : Number(clock.now() - startedAt) / 1e6);
  }

  /** Its processes go no further than their present wait until `resume`. */
  pause(): void {
    this.#running?.processes.pause();
  }

  resume(): void {
    this.#running?.processes.resume();
  }

  async reopenLog(): Promise<void> {
    await this.#running?.io.reopenLog();
  }

  update(change: LinuxContainerResources): ContainerResources {
    this.#resources = mergeResources(this.#resources, change);
    return this.resources;
  }

  async exec({ command, tty }: ExecSpec, streams: ProcessStreams, signal: AbortSignal): Promise<number> {
    const { clock, behavior, user } = this.#options;
    const running = this.#alive();
    if (behavior?.execDelay !== undefined) await clock.sleep(behavior.execDelay, signal);
    const forced = behavior && execExitOf(behavior, this.age);
    if (forced !== undefined) return forced;
    const { env, cwd } = running;
    const program = await this.#find(command, { fs: running.fs, cwd, env }).catch((error: StartFailure) => {
      const id = randomBytes(32).toString('hex');
      throw new StatusError(
        UNKNOWN,
        `${NOT_EXECUTED} "${id}": OCI runtime exec failed: exec failed: ${error.message}`,
      );
    });
    signal.throwIfAborted();
    const process = running.processes.start({
      argv: command,
      program,
      env,
      cwd,
      user,
      ...openExecStreams(streams, tty, clock),
    });
    const kill = () => running.processes.killTree(process.pid);
    signal.addEventListener('abort', kill, { once: true });
    const status = await clock.idle(process.exit);
    signal.removeEventListener('abort', kill);
    return exitCodeOf(status);
  }

  /** Resolves when the container ends or the client goes. */
  async attach(streams: ProcessStreams, signal: AbortSignal): Promise<void> {
    const { io, ended } = this.#alive();
    const detach = io.attach(streams);
    const gone = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    await this.#options.clock.idle(Promise.race([ended, gone]));
    detach();
  }

  usage(): UsageSource | undefined {
    if (this.#running === undefined) return undefined;
    const { startedAt, fs } = this.#running;
    const { memoryLimit } = this;
    return { now: this.#options.clock.now(), startedAt, memoryLimit, written: fs.used };
  }

  /** As many processes as a container that runs has; none otherwise. */
  processes(): readonly Process[] {
    return this.#running?.processes.list() ?? [];
  }

  get memoryLimit(): number | undefined {
    return memoryLimitOf(this.#resources);
  }

  /** Sends a signal to one of its processes; false if there is no such process. */
  signal(pid: number, signal: SignalName): boolean {
    return this.#running?.processes.kill(pid, signal) ?? false;
  }

  /** Verbose detail in the shape of containerd's. */
  inspect(): Record<string, unknown> {
    const { config, sandboxId } = this.spec;
    const { user, image, view } = this.#options;
    const { env, cwd } = startEnvironment(config, image, user, view.pod.hostname);
    const process = {
      terminal: config.tty,
      user: { uid: user.uid, gid: user.gid, additionalGids: user.groups },
      args: this.argv,
      env: Array.from(env, ([name, value]) => `${name}=${value}`),
      cwd,
    };
    const root = { path: 'rootfs', readonly: view.readonlyRootfs };
    return {
      sandboxID: sandboxId,
      pid: this.isRunning ? 1 : 0,
      runtimeType: 'memory',
      config: describeConfig(config),
      runtimeSpec: { process, root, hostname: view.pod.hostname },
    };
  }

  async #find(argv: readonly string[], from: Parameters<Programs['find']>[1]): Promise<Program> {
    const [name = ''] = argv;
    const program = await this.#options.programs.find(name, from);
    if (program !== undefined) return program;
    const why = name.includes('/')
      ? `stat ${name}: no such file or directory`
      : 'executable file not found in $PATH';
    throw new StartFailure(`unable to start container process: exec: ${JSON.stringify(name)}: ${why}`);
  }

  #alive(): Running {
    if (this.#running) return this.#running;
    throw wrongState(`container ${this.spec.id} is not running`);
  }

  #listen(port: number, accept: Parameters<typeof listenOn>[1]): Promise<Listener> {
    return listenOn(this.#options.bindings(port), accept);
  }

  /** Reports the exit once the log is whole. */
  async #finish(main: SpawnedProcess, processes: ProcessTable, io: ContainerIo): Promise<void> {
    const { clock, spec, exited } = this.#options;
    const status = await clock.idle(main.exit);
    const finishedAt = clock.now();
    processes.killAll({ signal: 'KILL' });
    await io.close();
    this.#running = undefined;
    const reason = this.#injected?.reason ?? (status.oom ? 'OOMKilled' : undefined);
    exited({
      containerId: spec.id,
      exitCode: this.#injected?.exitCode ?? exitCodeOf(status),
      finishedAt,
      ...(reason !== undefined && { reason }),
    });
  }

  /** Waits for the end, but not longer than `timeout` ms; rejects when the caller gives up. */
  async #endedWithin(ended: Promise<void>, timeout: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const waited = new AbortController();
    const expired = clock.sleep(timeout, AbortSignal.any([waited.signal, signal]));
    try {
      await clock.idle(Promise.race([ended, expired]));
    } finally {
      waited.abort();
      expired.catch(() => {});
    }
  }
}

/** Values of variables are bytes in the API, and text to read in JSON. */
/** How containerd and runc begin to tell that there is no such program: tools and people look for these words. */
const NOT_CREATED =
  'failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed';
const NOT_EXECUTED = 'failed to exec in container: failed to start exec';
/** Their gRPC status code for it. */
const UNKNOWN = 2;

const describeConfig = (config: ContainerConfig) => ({
  ...config,
  envs: config.envs.map(({ key, value }) => ({ key, value: value.toString() })),
});

/** `TERM` for SIGNAL_SIGTERM, `RTMIN+1` for SIGNAL_SIGRTMINPLUS1. */
const signalOf = (signal: Signal): string =>
  (Signal[signal] ?? 'SIGNAL_SIGTERM').replace('SIGNAL_SIG', '').replace('PLUS', '+').replace('MINUS', '-');
