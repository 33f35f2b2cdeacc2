import type { Duplex } from 'node:stream';
import type { Clock } from '../../base/clock/clock.js';
import { Cpu } from '../../base/clock/cpu.js';
import { Account } from '../../base/input/account.js';
import type { ContainerFiles } from '../fs/file-system.js';
import { CONTAINER_MEMORY } from './memory.js';
import { type ContainerProcesses, HostPids, OwnPids, type PidNamespace } from './pid-namespace.js';
import type {
  ContainerView,
  ExitStatus,
  Listener,
  Process,
  ProcessUser,
  SpawnOptions,
  Terminal,
} from './process.js';
import { SimulatedProcess } from './simulated-process.js';

export type SpawnedProcess = Process & { readonly exit: Promise<ExitStatus> };

export interface InitOptions extends SpawnOptions {
  readonly user: ProcessUser;
  readonly tty?: Terminal | undefined;
  readonly owner?: ProcessOwner | undefined;
}

export interface ProcessOwner {
  /** The initial variables, unless others are given; made when a program uses one. */
  environment(): ReadonlyMap<string, string>;
  ended(status: ExitStatus): void;
}

export interface TableOptions {
  readonly clock: Clock;
  readonly fs: ContainerFiles;
  readonly view: ContainerView;
  /** Whether an OOM kill of one of them kills all (memory.oom.group of cgroup v2). */
  readonly oomGroup?: boolean;
  /** The cgroup's `pids.max`; default and maximum 1,024. */
  readonly pidsLimit?: number | undefined;
  /** Shared by all containers of the node; by default the table has its own. */
  readonly cpu?: Cpu;
  readonly nodeMemory?: Account;
  connect(address: string, port: number, signal: AbortSignal): Promise<Duplex>;
  listen(port: number, accept: (connection: Duplex) => void): Promise<Listener>;
}

/** Processes of a container, unless its own limit is lower. */
const CONTAINER_PIDS = 1024;

/**
 * On a virtual clock: slices of processor time that a container may use at once, and for each millisecond in addition.
 */
const FREE_SLICES = 2000;
const SLICES_PER_MILLISECOND = 0.002;
/** Further slices after which it is half as fast. */
const SLICES_OF_HALF = 250;
const MOST_DOUBLINGS = 20;

/** A fork beyond the limit of processes: EAGAIN. */
export class CannotFork extends Error {
  override readonly name = 'CannotFork';

  constructor() {
    super("can't fork: Resource temporarily unavailable");
  }
}

export class ProcessTable implements ContainerProcesses {
  readonly options: TableOptions;
  readonly host: HostPids;
  readonly pids: PidNamespace;
  readonly cpu: Cpu;
  readonly #nodeMemory: Account;
  readonly #since: number;
  #slices = 0;
  oomKills = 0;
  /** CPU time in nanoseconds. */
  cpuUsed = 0;
  /** In bytes. */
  memoryUsed = 0;
  #processes: readonly SimulatedProcess[] = [];
  #gate: PauseGate | undefined;

  constructor(options: TableOptions, host = new HostPids(), pids: PidNamespace = new OwnPids()) {
    this.options = options;
    this.host = host;
    this.pids = pids;
    this.cpu = options.cpu ?? new Cpu(options.clock);
    this.#nodeMemory = options.nodeMemory ?? new Account();
    this.#since = options.clock.elapsed();
  }

  /**
   * Counts a slice, and says how many times as long it takes: on a virtual clock a busy container becomes slower,
   * because otherwise each second of a simulation would take more than a second.
   */
  slowness(): number {
    const { clock } = this.options;
    if (clock.kind !== 'virtual') return 1;
    const free = FREE_SLICES + SLICES_PER_MILLISECOND * (clock.elapsed() - this.#since);
    return 2 ** Math.max(0, Math.min(MOST_DOUBLINGS, (++this.#slices - free) / SLICES_OF_HALF));
  }

  /** Takes or returns memory of a process; false if the container or the node has none left. */
  takeMemory(bytes: number): boolean {
    const limit = Math.min(CONTAINER_MEMORY, this.options.view.memoryLimit ?? CONTAINER_MEMORY);
    if (bytes > 0 && this.memoryUsed + bytes > limit) return false;
    if (!this.#nodeMemory.take(bytes)) return false;
    this.memoryUsed += bytes;
    return true;
  }

  /** The first process; the others end with it. */
  get main(): SimulatedProcess | undefined {
    return this.#processes[0];
  }

  /** Starts a process from outside: the container's main one first, then those of exec. */
  start(given: InitOptions): SimulatedProcess {
    const process = this.#launch(given, undefined);
    if (given.tty) given.tty.foreground = process.group;
    return process;
  }

  /** Starts a child of a process. Throws CannotFork at the limit of processes. */
  fork(given: InitOptions, parent: SimulatedProcess): SimulatedProcess {
    if (this.#processes.length >= Math.min(CONTAINER_PIDS, this.options.pidsLimit ?? CONTAINER_PIDS))
      throw new CannotFork();
    return this.#launch(given, parent);
  }

  #launch(given: InitOptions, parent: SimulatedProcess | undefined): SimulatedProcess {
    const process = new SimulatedProcess(this, given, parent);
    if (this.#processes.length === 0) this.#appear();
    this.#processes = this.#processes.concat(process);
    process.begin();
    return process;
  }

  list(): readonly SimulatedProcess[] {
    return this.#processes;
  }

  remove(process: SimulatedProcess): void {
    this.#processes = this.#processes.filter((one) => one !== process);
    if (this.#processes.length === 0) this.#vanish();
  }

  killTree(root: SimulatedProcess): void {
    for (const process of this.list()) if (process.origin === root) process.die({ signal: 'KILL' });
    root.die({ signal: 'KILL' });
  }

  killAll(status: ExitStatus): void {
    this.resume();
    for (const process of this.list()) process.die(status);
  }

  noteOom(): void {
    this.oomKills++;
    if (this.options.oomGroup) this.killAll({ signal: 'KILL' });
  }

  /** Stops every process at the end of its present sleep, until `resume`. */
  pause(): void {
    this.#gate ??= new PauseGate();
  }

  resume(): void {
    this.#gate?.open();
    this.#gate = undefined;
  }

  /** Undefined without a pause, otherwise resolves at its end. */
  passGate(): Promise<void> | undefined {
    if (this.#gate === undefined) return undefined;
    return this.options.clock.idle(this.#gate.opened).then(() => this.passGate());
  }

  #appear(): void {
    this.pids.join(this);
    if (this.pids !== this.host) this.host.join(this);
  }

  #vanish(): void {
    this.pids.leave(this);
    if (this.pids !== this.host) this.host.leave(this);
  }
}

/** Closed during a checkpoint. */
class PauseGate {
  readonly opened: Promise<void>;
  #open: () => void = () => {};

  constructor() {
    this.opened = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  open(): void {
    this.#open();
  }
}
