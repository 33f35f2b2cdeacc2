import type { Duplex } from 'node:stream';
import type { Clock } from '../../base/clock/clock.js';
import { messageOf } from '../../base/input/error-text.js';
import type { Closable } from '../fs/file-stat.js';
import type { ContainerFiles, FileSystem } from '../fs/file-system.js';
import { Death, Killed } from './death.js';
import type { HostProcess, SignalOrigin } from './host-process.js';
import { costOfText, costOfTexts, PROCESS_COST, PROCESS_MEMORY } from './memory.js';
import { BrokenPipe, emptySource, nullSink } from './pipe.js';
import type {
  ByteSink,
  ByteSource,
  ContainerView,
  ExecOptions,
  ExitStatus,
  Listener,
  Process,
  ProcessGroup,
  ProcessUser,
  Program,
  SignalName,
  SpawnOptions,
  Terminal,
} from './process.js';
import { Group } from './process-group.js';
import { ProcessSink, ProcessSource } from './process-streams.js';
import type { InitOptions, ProcessOwner, ProcessTable } from './process-table.js';
import { type SignalHandler, SignalHandlers } from './signal-handlers.js';
import { isDeadly } from './signals.js';

const BYTES_PER_MILLISECOND = 1024 * 1024;
/** Replacing the program costs as much as this many bytes, so that a script that replaces itself takes time. */
const EXEC_WORK = 64 * 1024;
const DONE = Promise.resolve();
/** Open files, and KiB of stack: the rest is unlimited. */
const LIMITS: ReadonlyMap<string, string> = new Map([
  ['n', '1048576'],
  ['s', '8192'],
]);

/** A program throws this to leave its process to another one. */
class Replaced {
  readonly options: ExecOptions;

  constructor(options: ExecOptions) {
    this.options = options;
  }
}

/** A process of a table. There are thousands of them, so rarely used parts are created on demand. */
export class SimulatedProcess implements Process, HostProcess {
  readonly hostPid: number;
  readonly pid: number;
  readonly user: ProcessUser;
  /** The ancestor that was started from outside; itself if it was. */
  readonly origin: SimulatedProcess;
  readonly tty: Terminal | undefined;
  argv: readonly string[];
  cwd: string;
  umask: number;
  limits: ReadonlyMap<string, string>;
  readonly #table: ProcessTable;
  #parent: SimulatedProcess | undefined;
  #program: Program | undefined;
  readonly #owner: ProcessOwner | undefined;
  readonly #death = new Death();
  #env: ReadonlyMap<string, string> | undefined;
  #group: ProcessGroup | undefined;
  #stdin: ByteSource;
  #stdout: ByteSink;
  #stderr: ByteSink;
  #fs: FileSystem | undefined;
  #exit: Promise<ExitStatus> | undefined;
  /** Undefined means the kernel's defaults. */
  #handlers: SignalHandlers | undefined;
  /** Ports and files that close when it ends. */
  #open: Set<Closable> | undefined;
  #worked = 0;
  #memory = 0;
  /** Bytes that its arguments and variables take. */
  #startCost: number;

  constructor(table: ProcessTable, given: InitOptions, parent: SimulatedProcess | undefined) {
    this.hostPid = table.host.next();
    this.pid = table.pids.number(this.hostPid);
    this.user = given.user;
    this.origin = parent?.origin ?? this;
    this.tty = given.tty ?? parent?.tty;
    this.argv = given.argv;
    this.cwd = given.cwd ?? parent?.cwd ?? '/';
    this.umask = parent?.umask ?? 0o022;
    this.limits = parent?.limits ?? LIMITS;
    this.#table = table;
    this.#parent = parent;
    this.#program = given.program;
    this.#owner = given.owner;
    this.#env = given.env ?? parent?.env;
    this.#group = given.group === 'new' ? undefined : (given.group ?? parent?.group);
    this.#stdin = given.stdin ?? parent?.stdin ?? emptySource;
    this.#stdout = given.stdout ?? parent?.stdout ?? nullSink;
    this.#stderr = given.stderr ?? parent?.stderr ?? nullSink;
    if (parent) this.#handlers = parent.#inheritedHandlers();
    this.#startCost = PROCESS_COST + (parent ? costOfStart(given) : 0);
  }

  /** Orphans belong to PID 1. */
  get ppid(): number {
    if (this.#parent === undefined) return 0;
    return this.#parent.#death.aborted ? 1 : this.#parent.pid;
  }

  get hostParent(): number {
    return this.#parent === undefined || this.#parent.#death.aborted ? 1 : this.#parent.hostPid;
  }

  get hostGroup(): number {
    return this.#group instanceof Group ? this.#group.leader.hostPid : this.hostPid;
  }

  get group(): ProcessGroup {
    this.#group ??= new Group(this, this.#table);
    return this.#group;
  }

  get env(): ReadonlyMap<string, string> {
    this.#env ??= this.#owner?.environment() ?? new Map();
    return this.#env;
  }

  get stdin(): ByteSource {
    return new ProcessSource(this, this.#stdin);
  }

  get stdout(): ByteSink {
    return new ProcessSink(this, this.#stdout);
  }

  get stderr(): ByteSink {
    return new ProcessSink(this, this.#stderr);
  }

  get clock(): Clock {
    return this.#table.options.clock;
  }

  get container(): ContainerView {
    return this.#table.options.view;
  }

  get files(): ContainerFiles {
    return this.#table.options.fs;
  }

  get fs(): FileSystem {
    this.#fs ??= this.files.as(this);
    return this.#fs;
  }

  get killed(): AbortSignal {
    return this.#death.signal;
  }

  get exit(): Promise<ExitStatus> {
    this.#exit ??= new Promise((resolve) => {
      const tell = () => resolve((this.#death.reason as Killed).status);
      if (this.#death.aborted) tell();
      else this.#death.addEventListener('abort', tell);
    });
    return this.#exit;
  }

  belongsTo(group: ProcessGroup): boolean {
    return this.#group === group;
  }

  /** Runs the program; the process ends with it, unless it was killed earlier. */
  begin(): void {
    const program = this.#program as Program;
    // A fork's program refers to its parent's shell.
    this.#program = undefined;
    void this.clock.run(() =>
      this.#run(program).then(
        (status) => this.die(status),
        (error) => this.#fail(error),
      ),
    );
  }

  sleep(milliseconds: number): Promise<void> {
    const slept = this.clock.sleep(milliseconds, this.#death);
    return slept.then(() => {
      const turn = this.#nextTurn();
      return turn ? turn.then(() => this.#table.passGate()) : this.#table.passGate();
    });
  }

  compute(milliseconds: number): Promise<void> {
    this.#table.cpuUsed += milliseconds * 1e6;
    return this.sleep(milliseconds * this.#table.slowness());
  }

  onSignal(signal: SignalName, handler: SignalHandler | undefined): void {
    this.#handlers ??= new SignalHandlers();
    this.#handlers.set(signal, handler);
  }

  /**
   * The kernel protects the init process of a PID namespace: a signal that PID 1 doesn't handle doesn't end it, except
   * KILL from above (pid_namespaces(7)). That is why a container whose main process is `sleep` takes its whole grace
   * period.
   */
  signal(signal: SignalName, origin: SignalOrigin = 'inside'): void {
    const handler = this.#handlers?.get(signal);
    if (handler === 'ignore') return;
    const isMortal = this.pid !== 1 || (signal === 'KILL' && origin === 'above');
    if (handler) void this.clock.run(async () => handler());
    else if (isDeadly(signal) && isMortal) this.die({ signal });
  }

  /** Ends the process, including every wait of its program. Only the first call counts. */
  die(status: ExitStatus): void {
    if (this.#death.aborted) return;
    this.#table.remove(this);
    this.#table.takeMemory(-this.#memory);
    this.#memory = 0;
    this.#death.come(status);
    for (const each of this.#open ?? []) void each.close().catch(() => {});
    if (status.oom) this.#table.noteOom();
    if (this.pid === 1) this.#table.pids.end();
    this.#owner?.ended(status);
    this.#forget();
  }

  spawn(options: SpawnOptions): SimulatedProcess {
    this.#death.throwIfAborted();
    return this.#table.fork({ ...options, user: this.user }, this);
  }

  exec(options: ExecOptions): Promise<never> {
    return Promise.reject(new Replaced(options));
  }

  async connect(address: string, port: number, signal: AbortSignal): Promise<Duplex> {
    const connection = await this.#table.options.connect(address, port, signal);
    const { killed } = this;
    const stop = () => void connection.destroy();
    if (killed.aborted) stop();
    killed.addEventListener('abort', stop, { once: true });
    connection.once('close', () => killed.removeEventListener('abort', stop));
    return connection;
  }

  async listen(port: number, accept: (connection: Duplex) => void): Promise<Listener> {
    const listener = await this.#table.options.listen(port, accept);
    this.hold(listener);
    return listener;
  }

  hold(opened: Closable): void {
    if (this.#death.aborted) return void opened.close().catch(() => {});
    this.#open ??= new Set();
    this.#open.add(opened);
  }

  release(opened: Closable): void {
    this.#open?.delete(opened);
  }

  /** Counts the time of reads and writes, so that `yes >/dev/null` blocks nothing. Rejects once killed. */
  work(bytes: number): Promise<void> {
    if (this.#death.reason !== undefined) return Promise.reject(this.#death.reason);
    this.#worked += bytes;
    if (this.#worked < BYTES_PER_MILLISECOND) return this.#nextTurn() ?? DONE;
    const milliseconds = Math.floor(this.#worked / BYTES_PER_MILLISECOND);
    this.#worked %= BYTES_PER_MILLISECOND;
    return this.compute(milliseconds);
  }

  turn(): Promise<void> | undefined {
    this.#death.throwIfAborted();
    return this.#nextTurn();
  }

  allocate(bytes: number): void {
    // A dead process has returned everything already.
    const change = Math.max(bytes, -this.#memory);
    if (bytes > 0 && this.#memory + change > PROCESS_MEMORY) this.#endWithoutMemory();
    this.allocateShared(change);
    this.#memory += change;
  }

  allocateShared(bytes: number): void {
    if (bytes > 0) this.#death.throwIfAborted();
    if (!this.#table.takeMemory(bytes)) this.#endWithoutMemory();
  }

  #endWithoutMemory(): never {
    this.die({ signal: 'KILL', oom: true });
    throw this.#death.reason;
  }

  /** Undefined if it may continue immediately; the wait for its turn rejects if it is killed meanwhile. */
  #nextTurn(): Promise<void> | undefined {
    return this.#table.cpu.request(this.#death)?.then(() => this.#death.throwIfAborted());
  }

  /** Drops its references: its children still refer to it, and would keep its ancestors in memory. */
  #forget(): void {
    this.#parent = undefined;
    this.#stdin = emptySource;
    this.#stdout = nullSink;
    this.#stderr = nullSink;
    this.#handlers = undefined;
  }

  /** A loop, so that a script that replaces itself forever takes no more memory each time. */
  async #run(first: Program): Promise<ExitStatus> {
    let release: ExecOptions['release'];
    try {
      this.allocate(this.#startCost);
      for (let program = first; ; ) {
        const next = await this.#untilReplaced(program);
        if (!(next instanceof Replaced)) return next;
        const { options } = next;
        if (options.release) {
          release?.();
          ({ release } = options);
        }
        await this.work(EXEC_WORK);
        this.#become(options);
        ({ program } = options);
      }
    } finally {
      release?.();
    }
  }

  async #untilReplaced(program: Program): Promise<ExitStatus | Replaced> {
    try {
      return await program(this);
    } catch (error) {
      if (error instanceof Replaced) return error;
      throw error;
    }
  }

  #become(options: SpawnOptions): void {
    const cost = PROCESS_COST + costOfStart(options);
    this.allocate(cost - this.#startCost);
    this.#startCost = cost;
    this.argv = options.argv;
    this.#env = options.env ?? this.#env;
    this.cwd = options.cwd ?? this.cwd;
    this.#stdin = options.stdin ?? this.#stdin;
    this.#stdout = options.stdout ?? this.#stdout;
    this.#stderr = options.stderr ?? this.#stderr;
    this.#handlers = this.#inheritedHandlers();
  }

  async #fail(error: unknown): Promise<void> {
    if (error instanceof Killed) this.die(error.status);
    else if (error instanceof BrokenPipe && this.#handlers?.get('PIPE') !== 'ignore')
      this.die({ signal: 'PIPE' });
    else this.die({ code: await this.#complain(error) });
  }

  /** A program that throws has a defect; its container shows the error, and the runtime continues. */
  async #complain(error: unknown): Promise<number> {
    await this.stderr
      .write(Buffer.from(`${this.argv[0] ?? 'process'}: ${messageOf(error)}\n`))
      .catch(() => {});
    return 1;
  }

  #inheritedHandlers(): SignalHandlers | undefined {
    const ignored = this.#handlers?.ignored ?? [];
    return ignored.length > 0 ? new SignalHandlers(ignored) : undefined;
  }
}

function costOfStart({ argv, env }: SpawnOptions): number {
  let cost = costOfTexts(argv);
  // The names are shared with its parent.
  for (const value of env?.values() ?? []) cost += costOfText(value);
  return cost;
}
