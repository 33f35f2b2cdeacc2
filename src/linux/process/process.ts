import type { Duplex } from 'node:stream';
import type { Clock } from '../../base/clock/clock.js';
import type { ContainerFiles, FileSystem } from '../fs/file-system.js';

/** How a process ended: with a code, or killed by a signal (seen from outside as 128 + number). */
export type ExitStatus =
  | { readonly code: number; readonly signal?: undefined; readonly oom?: undefined }
  | { readonly signal: SignalName; readonly oom?: boolean; readonly code?: undefined };

/** A signal's name without SIG; real-time signals are `RTMIN+n` and `RTMAX-n`. */
export type SignalName =
  | 'HUP'
  | 'INT'
  | 'QUIT'
  | 'KILL'
  | 'USR1'
  | 'USR2'
  | 'PIPE'
  | 'ALRM'
  | 'TERM'
  | 'CHLD'
  | 'CONT'
  | 'STOP'
  | (string & {});

/** A container's or command's code. What it does in time, it does on `process.clock`. */
export type Program = (process: Process) => Promise<ExitStatus>;

/** A process as others of a pid namespace see it: by the numbers of that namespace. */
export interface SeenProcess {
  readonly pid: number;
  /** 0 for a process that was started from outside the namespace. */
  readonly ppid: number;
  /** Who gets a signal that is meant for a job: the keys of a terminal, `kill -- -1234`. */
  readonly group: ProcessGroup;
  readonly argv: readonly string[];
  readonly env: ReadonlyMap<string, string>;
  readonly cwd: string;
  readonly user: ProcessUser;
  readonly stdin: ByteSource;
  readonly stdout: ByteSink;
  readonly stderr: ByteSink;
  readonly tty: Terminal | undefined;
  /** What its container lets it do. */
  readonly container: Confinement;
  /** Its container's files; undefined for a process without a program. */
  readonly files: Pick<ContainerFiles, 'root'> | undefined;
}

/** A simulated process, seen from the program that it runs. */
export interface Process extends SeenProcess {
  /** Permission bits that the files it makes don't get; a child begins with its parent's (umask(2)). */
  umask: number;
  /** What `ulimit` shows, by its option: those that were set, and some that containers have; a child begins with its parent's. */
  limits: ReadonlyMap<string, string>;
  readonly clock: Clock;
  readonly fs: FileSystem;
  /** Aborts when the process is killed: every wait of the program ends then. */
  readonly killed: AbortSignal;
  /** Sleeps on the clock; rejects when killed. */
  sleep(milliseconds: number): Promise<void>;
  /**
   * Counts bytes that the program has worked on, which takes time, and lets other processes and the server run.
   * Rejects when killed. Reads and writes of the process's streams and files are counted already.
   */
  work(bytes: number): Promise<void>;
  /**
   * Takes memory, in bytes, until it is given back with a negative number or the process ends. Without enough of it
   * the process is killed as by the kernel (status `oom`), and this throws; giving back never does.
   */
  allocate(bytes: number): void;
  /** Catches a signal instead of dying of it; undefined restores the default. KILL and STOP can't be caught. */
  onSignal(signal: SignalName, handler: (() => void) | 'ignore' | undefined): void;
  spawn(options: SpawnOptions): Process & { readonly exit: Promise<ExitStatus> };
  /**
   * Runs another program in this process, as execve does: argv, env, cwd and streams become those of the options,
   * caught signals get their default back, ignored ones stay ignored. Return what it resolves to.
   */
  exec(options: SpawnOptions): Promise<ExitStatus>;
  /**
   * Connects to a TCP port of the pod's network. Rejects with a socket's error, and when the signal aborts before the
   * connection is open; it ends with the process.
   */
  connect(address: string, port: number, signal: AbortSignal): Promise<Duplex>;
  /** Opens a TCP port on the pod's addresses. */
  listen(port: number, accept: (connection: Duplex) => void): Promise<Listener>;
  /** What the container that the process lives in looks like from inside. */
  readonly container: ContainerView;
}

/** A child; what is left out it has from its parent. */
export interface SpawnOptions {
  readonly argv: readonly string[];
  readonly program: Program;
  readonly env?: ReadonlyMap<string, string>;
  readonly cwd?: string;
  readonly stdin?: ByteSource;
  readonly stdout?: ByteSink;
  readonly stderr?: ByteSink;
  /** The process group that it joins, or a new one (default: its parent's). */
  readonly group?: ProcessGroup | 'new';
}

/** Processes that get signals together (setpgid(2)). */
export interface ProcessGroup {
  /** The pid of the process that it was made for. */
  readonly id: number;
  /** Sends a signal to each of its live processes. */
  signal(signal: SignalName): void;
}

/** The user of a process: ids, supplementary groups, and the name of the uid. */
export interface ProcessUser {
  readonly uid: number;
  readonly gid: number;
  readonly groups: readonly number[];
  readonly name: string;
}

/** Bytes to read; null at the end. */
export interface ByteSource {
  /** A process's own streams stop waiting when it is killed; others when `signal` aborts, with its reason. */
  read(signal?: AbortSignal): Promise<Buffer | null>;
  /** Puts back what was read too much, for the next reader (`read` in a shell takes a line and no more). */
  readonly unread?: ((chunk: Buffer) => void) | undefined;
  /** The terminal that this is, for isatty. */
  readonly terminal?: Terminal | undefined;
}

/** Bytes to write. `write` resolves when the reader can take more, and rejects with EPIPE once it is gone. */
export interface ByteSink {
  write(chunk: Buffer, signal?: AbortSignal): Promise<void>;
  end(): void;
  readonly terminal?: Terminal | undefined;
  /** One more descriptor of a shell or of its children refers to it, or one less. */
  retain?(): void;
  release?(): void;
}

/** The terminal that a process's streams are of, for isatty, job control and its size. */
export interface Terminal {
  /** In characters. */
  size(): { readonly width: number; readonly height: number };
  /** The processes that Ctrl-C and Ctrl-\\ reach; a shell with job control moves it to each job that it waits for. */
  foreground: ProcessGroup | undefined;
  /**
   * Whether keys reach the reader as they are typed, not echoed and without signals, as a line editor wants them
   * (termios(3) without ICANON, ECHO and ISIG). Default: false, a whole line at a time.
   */
  raw: boolean;
}

/** A port of the pod that is listened on. */
export interface Listener {
  /** The port, also where 0 was asked for. */
  readonly port: number;
  close(): Promise<void>;
}

/** Facts of the container's configuration that commands show (`id`, `hostname`, `/proc/self/status`, `df`, …). */
export interface ContainerView extends Confinement {
  readonly id: string;
  readonly hostname: string;
  readonly ips: readonly string[];
  /** Bytes; undefined for none. */
  readonly memoryLimit: number | undefined;
  readonly privileged: boolean;
  readonly readonlyRootfs: boolean;
  readonly sysctls: ReadonlyMap<string, string>;
  /** Sets one, of the pod or of its node. False if there are too many. The caller has checked the permission. */
  setSysctl(name: string, value: string): boolean;
  /** Dummy network devices that were added to the pod's network, by name, and whether each is up. */
  readonly links: Map<string, boolean>;
  /** Changes the name of the pod's host. The caller has checked the permission. */
  setHostname(name: string): void;
  /** Whether an address belongs to a pod or to the node: nothing else answers a ping. */
  reaches(address: string): boolean;
  /** The addresses of the Service that a name means to the pod. */
  resolve(name: string): readonly string[];
  /** All live processes of the pid namespace, by pid: also those of other containers that share it. */
  processes(): readonly SeenProcess[];
  /** Sends a signal to one of them; false when there is none. */
  kill(pid: number, signal: SignalName): boolean;
  /** The container's own processes, which are those of its cgroup. */
  ownProcesses(): readonly SeenProcess[];
  /** How many of them were killed for lack of memory. */
  readonly oomKills: number;
  /** Bytes that its processes hold. */
  readonly memoryUsed: number;
}

/** What a container lets its processes do, and how the kernel treats them. */
export interface Confinement {
  readonly capabilities: readonly string[];
  readonly security: ContainerSecurity;
  /** What /proc/PID/oom_score_adj shows: -1000 to 1000, the least likely to be killed first. */
  readonly oomScore: number;
}

/** What a security context forbids the processes, beyond capabilities. */
export interface ContainerSecurity {
  /** Whether a setuid program gives nobody more than he has. */
  readonly noNewPrivs: boolean;
  readonly seccomp: SeccompFilter | undefined;
}

/** System calls that fail with EPERM. */
export interface SeccompFilter {
  /** By the call's name on x86_64. */
  forbids(call: string): boolean;
}
