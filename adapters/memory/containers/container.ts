import type { Duplex } from 'node:stream';
import type { Clock, Timer } from '../../../src/base/clock/clock.js';
import type { Cpu } from '../../../src/base/clock/cpu.js';
import type { Account } from '../../../src/base/input/account.js';
import {
  type ContainerConfig,
  type ContainerResources,
  type LinuxContainerResources,
  type PodSandboxConfig,
  Signal,
} from '../../../src/cri/gen/runtime/v1/api.js';
import { behaviorProgram } from '../../../src/linux/behavior/behavior-program.js';
import type { Behavior } from '../../../src/linux/behavior/parse-behavior.js';
import type { ContainerFiles } from '../../../src/linux/fs/file-system.js';
import type { Place } from '../../../src/linux/fs/node-disk.js';
import { RESIDENT } from '../../../src/linux/process/memory.js';
import type { PidNamespace } from '../../../src/linux/process/pid-namespace.js';
import type {
  Listener,
  ProcessUser,
  Program,
  SeenProcess,
  SignalName,
} from '../../../src/linux/process/process.js';
import { ProcessTable, type TableOptions } from '../../../src/linux/process/process-table.js';
import { mergeResources } from '../../../src/runtime/engine/backend/resources.js';
import {
  type ContainerExit,
  type ContainerSpec,
  type ExecSpec,
  type InjectedExit,
  type ProcessStreams,
  StartFailure,
} from '../../../src/runtime/engine/backend.js';
import type { Commands } from '../commands.js';
import type { StoredImage } from '../images/image-store.js';
import type { MemoryNode } from '../node.js';
import type { MemoryPod } from '../pods/pod.js';
import { resolveUser } from '../security/resolve-user.js';
import { NOTHING, startCost, type UsageSource } from '../usage/usage.js';
import { type StartEnvironment, startEnvironment } from './container-env.js';
import { filesOf } from './container-files.js';
import { ContainerIo } from './container-io.js';
import { ContainerRun } from './container-run.js';
import { LiveView } from './container-view.js';
import { execIn, notRunning } from './exec.js';
import type { HostMounts } from './prepare-mounts.js';
import { programToStart, startsFromImage } from './resolve-program.js';
import { memoryLimitOf } from './resources.js';

export interface MemoryContainerOptions {
  readonly node: MemoryNode;
  readonly pod: MemoryPod;
  readonly commands: Commands;
  readonly image: StoredImage | undefined;
  readonly mounts: HostMounts | undefined;
  /** Replaces its command line. */
  readonly behavior: Behavior | undefined;
  /** Its first log line if the behavior is a guess. */
  readonly about: string | undefined;
  /** Returns the behavior that the rules set at this moment, instead of `behavior`; undefined if they set none. */
  readonly ruled?: (() => Behavior | undefined) | undefined;
  /** How long it had run before its checkpoint, in ms; 0 for a new one. */
  readonly restoredAge: number;
}

/** One simulated container. There may be thousands: the engine stores configs, and rare parts are created on demand. */
export class MemoryContainer implements TableOptions {
  readonly id: string;
  readonly createdAt: bigint;
  readonly pod: MemoryPod;
  readonly image: StoredImage | undefined;
  readonly user: ProcessUser;
  readonly stopSignal: Signal;
  readonly view: LiveView;
  readonly #node: MemoryNode;
  readonly #commands: Commands;
  readonly #own: Behavior | undefined;
  readonly #ruled: MemoryContainerOptions['ruled'];
  readonly #about: string | undefined;
  readonly #restoredAge: number;
  readonly #logPath: string | undefined;
  readonly #mounts: HostMounts | undefined;
  #behavior: Behavior | undefined;
  /** Its age in ms when the present behavior began. */
  #since = 0;
  #end: Timer | undefined;
  #resources: LinuxContainerResources | undefined;
  #files: ContainerFiles | undefined;
  #run: ContainerRun | undefined;
  #wasStarted = false;
  /** Processes of commands that are executed before the start. */
  #early: ProcessTable | undefined;

  /** Throws `invalid` for an invalid config. */
  constructor({ id, createdAt, logPath, config }: ContainerSpec, options: MemoryContainerOptions) {
    const { node, pod, image } = options;
    this.id = id;
    this.createdAt = createdAt;
    this.pod = pod;
    this.image = image;
    this.user = resolveUser(config, node.host.sandboxConfig(pod.id), image?.content);
    this.stopSignal = config.stopSignal || Signal.SIGNAL_SIGTERM;
    this.view = new LiveView(this, config.linux?.securityContext);
    this.#node = node;
    this.#commands = options.commands;
    this.#own = options.behavior;
    this.#behavior = options.behavior;
    this.#ruled = options.ruled;
    this.#about = options.about;
    this.#restoredAge = options.restoredAge;
    this.#logPath = logPath;
    this.#mounts = options.mounts;
    this.#resources = config.linux?.resources;
  }

  get clock(): Clock {
    return this.#node.clock;
  }

  get config(): ContainerConfig {
    return this.#node.host.containerConfig(this.id);
  }

  get sandboxConfig(): PodSandboxConfig {
    return this.#node.host.sandboxConfig(this.pod.id);
  }

  get resources(): ContainerResources {
    return { linux: this.#resources, windows: undefined };
  }

  get memoryLimit(): number | undefined {
    return memoryLimitOf(this.#resources);
  }

  get oomGroup(): boolean {
    return this.#resources?.unified['memory.oom.group'] === '1';
  }

  get pidsLimit(): number | undefined {
    const given = this.#resources?.unified['pids.max'] ?? 'max';
    return /^\d+$/.test(given) ? Number(given) : undefined;
  }

  get oomKills(): number {
    return this.#run?.processes.oomKills ?? 0;
  }

  /** Nanoseconds of CPU time that it has used since its start. */
  get cpuUsed(): number {
    return startCost(this.age * 1e6) + (this.#run?.processes.cpuUsed ?? 0);
  }

  /** Bytes charged to its cgroup: its processes' memory, and files in memory. */
  get memoryUsed(): number {
    if (this.#run === undefined) return 0;
    const { processes } = this.#run;
    return processes.list().length * RESIDENT + processes.memoryUsed + (this.#files?.sharedMemory ?? 0);
  }

  get cpu(): Cpu {
    return this.#node.cpu;
  }

  get nodeMemory(): Account {
    return this.#node.accounts.processes;
  }

  /** The host PID of its main process; 0 when it isn't running. */
  get hostPid(): number {
    return this.#run?.processes.main?.hostPid ?? 0;
  }

  /** Undefined when it isn't running. */
  get pids(): PidNamespace | undefined {
    return (this.#run?.processes ?? this.#early)?.pids;
  }

  get fs(): ContainerFiles {
    this.#files ??= this.#makeFiles();
    return this.#files;
  }

  argv({ command, args }: ContainerConfig = this.config): readonly string[] {
    if (command.length > 0) return [...command, ...args];
    const { entrypoint = [], command: fallback = ['sh'] } = this.image?.content ?? {};
    return [...entrypoint, ...(args.length > 0 ? args : fallback)];
  }

  startEnvironment(config: ContainerConfig = this.config): StartEnvironment {
    return startEnvironment(config, this.image?.content, this.user, this.pod.givenHostname);
  }

  /** Returns its program, or StartFailure. Drops the files: they take 9 KiB, and most programs open none. */
  async program(): Promise<Program> {
    if (this.#behavior !== undefined)
      return behaviorProgram(this.#behavior, {
        age: this.#restoredAge,
        about: this.#behavior === this.#own ? this.#about : undefined,
        present: () => [this.#behavior, this.#behaviorAge],
      });
    const { config } = this;
    const { env, cwd } = this.startEnvironment(config);
    const argv = this.argv(config);
    const { programs, started, rootOf } = this.#commands;
    const look = async () => {
      const fs = this.#makeFiles();
      try {
        return await programToStart(programs, argv, { fs, cwd, env });
      } finally {
        fs.drop();
      }
    };
    if (started === undefined || !startsFromImage(config)) return look();
    return started.find(rootOf(this.image?.content), argv, { cwd, env }, look);
  }

  /** Resolves once the process runs; throws StartFailure when it can't be started. */
  async start(signal: AbortSignal): Promise<void> {
    const behavior = this.#behavior;
    if (behavior?.startDelay !== undefined) await this.clock.sleep(behavior.startDelay, signal);
    if (behavior?.startFails !== undefined) throw new StartFailure(behavior.startFails);
    const { config } = this;
    const program = await this.program();
    const processes = this.#newProcesses();
    const io = await ContainerIo.open({
      clock: this.clock,
      config,
      logPath: this.#logPath,
      disk: this.#node.disk,
      onError: (error) => this.#node.warn(`the log of container ${this.id} can't be written`, error),
    });
    this.#wasStarted = true;
    this.#since = 0;
    this.#early = undefined;
    this.#run = new ContainerRun(this, processes, io);
    this.#run.begin(this.argv(), program, this.startEnvironment().cwd);
  }

  /**
   * Behaves as the rules say at this moment; times count from now. Effects of a behavior other than an exit (signals,
   * ports, logs) begin with the next run.
   */
  followRules(): void {
    if (this.#ruled === undefined || (this.#wasStarted && this.#run === undefined)) return;
    const behavior = this.#ruled() ?? this.#own;
    if (behavior === this.#behavior) return;
    this.#behavior = behavior;
    this.#since = this.age;
    this.#end?.cancel();
    const run = this.#run;
    if (run === undefined || behavior === undefined) return;
    const { exit, oom, after = 0 } = behavior;
    if (exit === undefined && !oom) return;
    const end: InjectedExit = oom ? { exitCode: 137, reason: 'OOMKilled' } : { exitCode: exit ?? 0 };
    // It may have ended by itself.
    this.#end = this.clock.setTimer(after, () => run.injectExit(end).catch(() => {}));
  }

  get #behaviorAge(): number {
    return this.age - this.#since;
  }

  /** Sends the stop signal, and kills after `timeout` ms. Resolves when the exit has been reported. */
  async stop(timeout: number, signal: AbortSignal): Promise<void> {
    await this.#run?.stop(timeout, signal);
  }

  async kill(): Promise<void> {
    await this.#run?.kill();
  }

  /** Ends it as if it had exited. Reports only one exit. */
  async injectExit(exit: InjectedExit): Promise<void> {
    await this.#alive().injectExit(exit);
  }

  removed(): void {
    this.#files?.drop();
  }

  finished(exit: Omit<ContainerExit, 'containerId'>): void {
    this.pod.cpuOfEnded += this.cpuUsed;
    this.#run = undefined;
    this.#end?.cancel();
    this.#node.host.containerExited({ containerId: this.id, ...exit });
  }

  /** How long it has run, in ms. */
  get age(): number {
    const startedAt = this.#run?.startedAt;
    return this.#restoredAge + (startedAt === undefined ? 0 : Number(this.clock.now() - startedAt) / 1e6);
  }

  /** Its processes don't continue past their present wait until `resume` is called. */
  pause(): void {
    this.#run?.processes.pause();
  }

  resume(): void {
    this.#run?.processes.resume();
  }

  async reopenLog(): Promise<void> {
    await this.#run?.io.reopenLog();
  }

  update(change: LinuxContainerResources): ContainerResources {
    this.#resources = mergeResources(this.#resources, change);
    const { memoryUsed, memoryLimit = Number.POSITIVE_INFINITY } = this;
    // runc and crun write memory.max, and the kernel kills processes whose memory it can't reclaim.
    if (memoryUsed > memoryLimit) this.#run?.processes.main?.die({ signal: 'KILL', oom: true });
    return this.resources;
  }

  /** Also works before the start if the runtime allows it: the command then runs alone in a new PID namespace. */
  async exec(spec: ExecSpec, streams: ProcessStreams, signal: AbortSignal): Promise<number> {
    const hasMain = this.#wasStarted;
    const processes = hasMain ? this.#alive().processes : this.#earlyProcesses();
    const target = {
      container: this,
      behavior: this.#behavior,
      behaviorAge: this.#behaviorAge,
      processes,
      hasMain,
      commands: this.#commands,
    };
    return execIn(target, spec, streams, signal);
  }

  async attach(streams: ProcessStreams, signal: AbortSignal): Promise<void> {
    await this.#alive().attach(streams, signal);
  }

  usage(): UsageSource | undefined {
    if (this.#run === undefined) return undefined;
    const { cpuUsed, memoryUsed, memoryLimit = Number.POSITIVE_INFINITY } = this;
    const now = this.clock.now();
    return {
      now,
      startedAt: this.#run.startedAt,
      cpu: cpuUsed,
      cpuRate: this.#run.cpuRate.at(now, cpuUsed),
      memory: Math.min(memoryUsed, memoryLimit),
      memoryLimit: this.memoryLimit,
      written: this.#files?.used ?? NOTHING,
    };
  }

  /** Its own processes; none when it isn't running. */
  processes(): readonly SeenProcess[] {
    return this.#run?.processes.list() ?? [];
  }

  visibleProcesses(): readonly SeenProcess[] {
    return this.pids?.list() ?? [];
  }

  /** Sends a signal from inside the container; false for an unknown process. */
  signal(pid: number, signal: SignalName): boolean {
    return this.pids?.kill(pid, signal) ?? false;
  }

  listen(port: number, accept: (connection: Duplex) => void): Promise<Listener> {
    return this.#node.listen(this.sandboxConfig, this.pod.ip, port, accept);
  }

  connect(address: string, port: number, signal: AbortSignal): Promise<Duplex> {
    return this.pod.connect(address, port, signal);
  }

  #earlyProcesses(): ProcessTable {
    this.#early ??= this.#newProcesses();
    return this.#early;
  }

  #newProcesses(): ProcessTable {
    return new ProcessTable(this, this.#node.hostPids, this.pod.pidsFor(this.config));
  }

  #makeFiles(): ContainerFiles {
    const { rootOf, imageRoot } = this.#commands;
    const hostPlace = (path: string, isWritable: boolean) => this.#hostPlace(path, isWritable);
    const account = this.#node.accounts.files;
    return filesOf(this, { root: rootOf(this.image?.content), imageRoot, hostPlace, account });
  }

  /** Mounts keep the places that existed when the container was created. */
  async #hostPlace(path: string, isWritable: boolean): Promise<Place> {
    return this.#mounts?.get(path) ?? this.#node.disk.find(path, isWritable);
  }

  #alive(): ContainerRun {
    if (this.#run) return this.#run;
    throw notRunning(this.id);
  }
}
