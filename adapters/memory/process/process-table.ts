import type { Duplex } from 'node:stream';
import type { Clock } from '../../../src/clock/clock.js';
import type { ContainerFiles, FileSystem } from './file-system.js';
import { BrokenPipe, emptySource, nullSink } from './pipe.js';
import type {
  ByteSink,
  ByteSource,
  ContainerView,
  ExitStatus,
  Listener,
  Process,
  ProcessGroup,
  ProcessUser,
  SignalName,
  SpawnOptions,
  Terminal,
} from './process.js';
import { isDeadly } from './signals.js';

/** What a process reads and writes in a millisecond, and what a call costs, in bytes. */
const BYTES_PER_MILLISECOND = 1024 * 1024;
const CALL_COST = 1024;

/** A process together with its end. */
export type SpawnedProcess = Process & { readonly exit: Promise<ExitStatus> };

export interface InitOptions extends SpawnOptions {
  readonly user: ProcessUser;
  readonly tty?: Terminal | undefined;
}

/** The processes of one container: a pid namespace of its own. */
export interface ProcessTable {
  /** Starts a process from outside: the container's main one (pid 1) first, then those of exec. */
  start(options: InitOptions): SpawnedProcess;
  list(): readonly SpawnedProcess[];
  /** False if there is no such process. */
  kill(pid: number, signal: SignalName): boolean;
  /** Ends a process and all that it started, at once. */
  killTree(pid: number): void;
  /** Holds every process at the end of its present sleep, until `resume`. */
  pause(): void;
  resume(): void;
  /** Ends all processes at once, as the kernel does when pid 1 has gone. */
  killAll(status: ExitStatus): void;
}

export interface TableOptions {
  readonly clock: Clock;
  readonly fs: ContainerFiles;
  readonly view: ContainerView;
  listen(port: number, accept: (connection: Duplex) => void): Promise<Listener>;
}

/** Why a process's waits end when it is killed; never shown. */
export class Killed extends Error {
  override readonly name = 'Killed';
  readonly status: ExitStatus;

  constructor(status: ExitStatus) {
    super('killed');
    this.status = status;
  }
}

export function createProcessTable(options: TableOptions): ProcessTable {
  const processes = new Map<number, SimulatedProcess>();
  const pause = new Pause(options.clock);
  let lastPid = 0;

  const groupOf = (id: number): ProcessGroup => {
    const group: ProcessGroup = {
      id,
      signal: (signal) => {
        for (const process of [...processes.values()]) if (process.group === group) process.signal(signal);
      },
    };
    return group;
  };

  const launch = (given: InitOptions, parent: SimulatedProcess | undefined): SimulatedProcess => {
    const pid = ++lastPid;
    const { group: wanted = parent?.group } = given;
    const group = wanted === undefined || wanted === 'new' ? groupOf(pid) : wanted;
    const process: SimulatedProcess = new SimulatedProcess(
      pid,
      given,
      parent,
      group,
      { ...options, pause },
      (child) => launch(child, process),
    );
    processes.set(pid, process);
    if (given.tty && !parent) given.tty.foreground = group;
    void process.exit.then(() => {
      processes.delete(process.pid);
      if (process.pid === 1) table.killAll({ signal: 'KILL' });
    });
    process.begin();
    return process;
  };

  const table: ProcessTable = {
    start: (given) => launch(given, undefined),
    list: () => [...processes.values()],
    kill: (pid, signal) => {
      const process = processes.get(pid);
      process?.signal(signal);
      return process !== undefined;
    },
    killTree: (pid) => {
      const children = [...processes.values()].filter((process) => process.ppid === pid);
      for (const child of children) table.killTree(child.pid);
      processes.get(pid)?.die({ signal: 'KILL' });
    },
    pause: () => pause.begin(),
    resume: () => pause.end(),
    killAll: (status) => {
      pause.end();
      for (const process of [...processes.values()]) process.die(status);
    },
  };
  return table;
}

/** A gate that is open except while a checkpoint is made. */
class Pause {
  readonly #clock: Clock;
  #over: Promise<void> | undefined;
  #end: () => void = () => {};

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  begin(): void {
    this.#over ??= new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  end(): void {
    this.#over = undefined;
    this.#end();
  }

  async pass(): Promise<void> {
    while (this.#over !== undefined) await this.#clock.idle(this.#over);
  }
}

class SimulatedProcess implements SpawnedProcess {
  readonly pid: number;
  readonly ppid: number;
  argv: readonly string[];
  env: ReadonlyMap<string, string>;
  cwd: string;
  stdin: ByteSource;
  stdout: ByteSink;
  stderr: ByteSink;
  readonly user: ProcessUser;
  readonly group: ProcessGroup;
  readonly clock: Clock;
  readonly fs: FileSystem;
  readonly tty: Terminal | undefined;
  readonly container: ContainerView;
  readonly killed: AbortSignal;
  readonly exit: Promise<ExitStatus>;
  readonly #given: InitOptions;
  readonly #options: TableOptions & { readonly pause: Pause };
  readonly #launch: (options: InitOptions) => SpawnedProcess;
  readonly #death = new AbortController();
  /** Made when there is something in them, as most processes have neither. */
  #handlers: Map<SignalName, (() => void) | 'ignore'> | undefined;
  #listeners: Set<Listener> | undefined;
  #finish: (status: ExitStatus) => void = () => {};
  #worked = 0;

  constructor(
    pid: number,
    given: InitOptions,
    parent: SimulatedProcess | undefined,
    group: ProcessGroup,
    options: TableOptions & { readonly pause: Pause },
    launch: (options: InitOptions) => SpawnedProcess,
  ) {
    this.pid = pid;
    this.ppid = parent?.pid ?? 0;
    this.argv = given.argv;
    this.env = given.env ?? parent?.env ?? new Map();
    this.cwd = given.cwd ?? parent?.cwd ?? '/';
    this.user = given.user;
    this.clock = options.clock;
    this.fs = options.fs.as(this);
    this.killed = this.#death.signal;
    this.stdin = this.#reading(given.stdin ?? parent?.stdin ?? emptySource);
    this.stdout = this.#writing(given.stdout ?? parent?.stdout ?? nullSink);
    this.stderr = this.#writing(given.stderr ?? parent?.stderr ?? nullSink);
    this.group = group;
    this.tty = given.tty ?? parent?.tty;
    this.container = options.view;
    this.#given = given;
    this.#options = options;
    this.#launch = launch;
    this.exit = new Promise((resolve) => {
      this.#finish = resolve;
    });
    if (parent) this.#ignore(parent.#ignored());
  }

  /** Runs the program; its end is the process's end, unless it was killed before. */
  begin(): void {
    void this.clock.run(async () => {
      try {
        this.die(await this.#given.program(this));
      } catch (error) {
        this.die(await this.#statusOf(error));
      }
    });
  }

  async sleep(milliseconds: number): Promise<void> {
    await this.clock.sleep(milliseconds, this.killed);
    await this.#options.pause.pass();
  }

  onSignal(signal: SignalName, handler: (() => void) | 'ignore' | undefined): void {
    if (handler === undefined) this.#handlers?.delete(signal);
    else this.#caught().set(signal, handler);
  }

  /**
   * Pid 1 doesn't die of a signal that it doesn't handle, except of KILL: the kernel protects the init process of a
   * pid namespace (pid_namespaces(7)). That is why a container whose main process is `sleep` ends its grace period.
   */
  signal(signal: SignalName): void {
    const handler = signal === 'KILL' || signal === 'STOP' ? undefined : this.#handlers?.get(signal);
    if (handler === 'ignore') return;
    if (handler) void this.clock.run(async () => handler());
    else if (signal === 'KILL' || (isDeadly(signal) && this.pid !== 1)) this.die({ signal });
  }

  /** Ends the process: every wait of its program ends too. Only the first time counts. */
  die(status: ExitStatus): void {
    if (this.killed.aborted) return;
    this.#death.abort(new Killed(status));
    for (const listener of this.#listeners ?? []) void listener.close();
    this.#finish(status);
  }

  spawn(options: SpawnOptions): SpawnedProcess {
    this.killed.throwIfAborted();
    return this.#launch({
      env: this.env,
      cwd: this.cwd,
      stdin: this.stdin,
      stdout: this.stdout,
      stderr: this.stderr,
      tty: this.tty,
      ...options,
      user: this.user,
    });
  }

  exec(options: SpawnOptions): Promise<ExitStatus> {
    this.killed.throwIfAborted();
    this.argv = options.argv;
    this.env = options.env ?? this.env;
    this.cwd = options.cwd ?? this.cwd;
    if (options.stdin) this.stdin = this.#reading(options.stdin);
    if (options.stdout) this.stdout = this.#writing(options.stdout);
    if (options.stderr) this.stderr = this.#writing(options.stderr);
    const ignored = this.#ignored();
    this.#handlers = undefined;
    this.#ignore(ignored);
    return options.program(this);
  }

  async listen(port: number, accept: (connection: Duplex) => void): Promise<Listener> {
    const listener = await this.#options.listen(port, accept);
    if (this.killed.aborted) await listener.close();
    this.#listeners ??= new Set();
    this.#listeners.add(listener);
    return listener;
  }

  #caught(): Map<SignalName, (() => void) | 'ignore'> {
    this.#handlers ??= new Map();
    return this.#handlers;
  }

  #ignore(signals: readonly SignalName[]): void {
    for (const signal of signals) this.#caught().set(signal, 'ignore');
  }

  /** What a child or another program inherits of the signal handling. */
  #ignored(): SignalName[] {
    return [...(this.#handlers ?? [])]
      .filter(([, handler]) => handler === 'ignore')
      .map(([signal]) => signal);
  }

  /** The source, as long as this process lives: a read that waits ends when it is killed. */
  #reading(source: ByteSource): ByteSource {
    return {
      read: async (signal) => {
        const chunk = await source.read(signal ?? this.killed);
        if (signal === undefined) await this.#work(chunk?.length ?? 0);
        return chunk;
      },
      unread: source.unread && ((chunk) => source.unread?.(chunk)),
      terminal: source.terminal,
    };
  }

  #writing(sink: ByteSink): ByteSink {
    return {
      write: async (chunk, signal) => {
        if (signal === undefined) await this.#work(chunk.length);
        await sink.write(chunk, signal ?? this.killed);
      },
      end: () => sink.end(),
      terminal: sink.terminal,
    };
  }

  /** Reading and writing take time now and then, so that `yes >/dev/null` stops neither the clock nor the others. */
  async #work(bytes: number): Promise<void> {
    this.#worked += CALL_COST + bytes;
    if (this.#worked < BYTES_PER_MILLISECOND) return;
    this.#worked = 0;
    await this.sleep(1);
  }

  async #statusOf(error: unknown): Promise<ExitStatus> {
    if (error instanceof Killed) return error.status;
    if (error instanceof BrokenPipe && this.#handlers?.get('PIPE') !== 'ignore') return { signal: 'PIPE' };
    return { code: await this.#complain(error) };
  }

  /** A program that throws has a defect of its own; its container shows it, and the runtime goes on. */
  async #complain(error: unknown): Promise<number> {
    const text = error instanceof Error ? error.message : String(error);
    await this.stderr.write(Buffer.from(`${this.argv[0] ?? 'process'}: ${text}\n`)).catch(() => {});
    return 1;
  }
}
