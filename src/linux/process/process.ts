import type { Duplex } from 'node:stream';
import type { Clock } from '../../base/clock/clock.js';
import type { ContainerFiles, FileSystem } from '../fs/file-system.js';

/** The end of a process: with a code, or killed by a signal (seen from outside as 128 + number). */
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

/** The code of a container or command. It takes its time from `process.clock`. */
export type Program = (process: Process) => Promise<ExitStatus>;

/** A process as others of a PID namespace see it: with the PIDs of that namespace. */
export interface SeenProcess {
  readonly pid: number;
  /** 0 for a process that was started from outside the namespace. */
  readonly ppid: number;
  /** Receives the signals of a job: the keys of a terminal, `kill -- -1234`. */
  readonly group: ProcessGroup;
  readonly argv: readonly string[];
  readonly env: ReadonlyMap<string, string>;
  readonly cwd: string;
  readonly user: ProcessUser;
  readonly stdin: ByteSource;
  readonly stdout: ByteSink;
  readonly stderr: ByteSink;
  readonly tty: Terminal | undefined;
  readonly container: Confinement;
  /** Its container's files; undefined for a process without a program. */
  readonly files: Pick<ContainerFiles, 'root'> | undefined;
}

export interface Process extends SeenProcess {
  /** Permission bits that new files do not get; a child inherits them (umask(2)). */
  umask: number;
  /** The values of `ulimit`, by option: those that were set, and usual ones of containers; a child inherits them. */
  limits: ReadonlyMap<string, string>;
  readonly clock: Clock;
  readonly fs: FileSystem;
  /** Aborts when the process is killed: every wait of the program then ends. */
  readonly killed: AbortSignal;
  /** Sleeps on the clock; rejects when killed. */
  sleep(milliseconds: number): Promise<void>;
  /** Like `sleep`, for a program that computes: its container uses the CPU for this time. */
  compute(milliseconds: number): Promise<void>;
  /**
   * Counts bytes that the program has processed, which takes time, and lets other processes and the server run. Rejects
   * when killed. Reads and writes of the process's streams and files are counted already.
   */
  work(bytes: number): Promise<void>;
  /**
   * Takes memory, in bytes, until a negative number returns it or the process ends. Without enough memory, the process
   * is killed as by the kernel (status `oom`), and this throws; returning memory never does.
   */
  allocate(bytes: number): void;
  /** Like `allocate`, but only a negative number returns it: for data that other processes may get. */
  allocateShared(bytes: number): void;
  /** Catches a signal; undefined restores the default. KILL and STOP can't be caught. */
  onSignal(signal: SignalName, handler: (() => void) | 'ignore' | undefined): void;
  spawn(options: SpawnOptions): Process & { readonly exit: Promise<ExitStatus> };
  /**
   * Runs another program in this process, as execve does: the options replace argv, env, cwd and streams, caught
   * signals return to their default, ignored ones stay ignored. Rejects with what ends the caller: don't catch it.
   */
  exec(options: ExecOptions): Promise<never>;
  /** Connects to a TCP port of the pod's network. Rejects with a socket's error, or when the signal aborts first. */
  connect(address: string, port: number, signal: AbortSignal): Promise<Duplex>;
  listen(port: number, accept: (connection: Duplex) => void): Promise<Listener>;
  readonly container: ContainerView;
}

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

export interface ExecOptions extends SpawnOptions {
  /** Called when the process ends, or when a later program has its own. */
  readonly release?: () => void;
}

/** Processes that get signals together (setpgid(2)). */
export interface ProcessGroup {
  /** The PID of its first process. */
  readonly id: number;
  signal(signal: SignalName): void;
}

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
  /** Puts back excess bytes for the next reader (`read` in a shell takes one line). */
  readonly unread?: ((chunk: Buffer) => void) | undefined;
  readonly terminal?: Terminal | undefined;
}

/** Bytes to write. `write` resolves when the reader can take more, and rejects with EPIPE once it has closed. */
export interface ByteSink {
  write(chunk: Buffer, signal?: AbortSignal): Promise<void>;
  end(): void;
  readonly terminal?: Terminal | undefined;
  /** Counts the descriptors of a shell and its children that refer to it. */
  retain?(): void;
  release?(): void;
}

export interface Terminal {
  /** In characters. */
  size(): { readonly width: number; readonly height: number };
  /** The processes that Ctrl-C and Ctrl-\\ reach; a shell with job control moves it to each job that it waits for. */
  foreground: ProcessGroup | undefined;
  /** Whether keys reach the reader as typed, without echo and signals (termios(3)). Default: whole lines. */
  raw: boolean;
}

export interface Listener {
  /** The actual port, also for 0. */
  readonly port: number;
  close(): Promise<void>;
}

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
  readonly links: Map<string, boolean>;
  /** Sets the pod's host name. The caller has checked the permission. */
  setHostname(name: string): void;
  /** Whether the address is a pod's or the node's: nothing else answers a ping. */
  reaches(address: string): boolean;
  resolve(name: string): readonly string[];
  /** All live processes of the PID namespace, by PID: also those of other containers that share it. */
  processes(): readonly SeenProcess[];
  /** Sends a signal to one of them; false for an unknown one. */
  kill(pid: number, signal: SignalName): boolean;
  ownProcesses(): readonly SeenProcess[];
  readonly oomKills: number;
  /** CPU time in nanoseconds. */
  readonly cpuUsed: number;
  /** Bytes that its cgroup is charged for. */
  readonly memoryUsed: number;
}

export interface Confinement {
  readonly capabilities: readonly string[];
  readonly security: ContainerSecurity;
  /** /proc/PID/oom_score_adj: -1000 to 1000; the kernel kills the highest first. */
  readonly oomScore: number;
}

/** What a security context forbids, in addition to missing capabilities. */
export interface ContainerSecurity {
  /** Whether setuid programs grant no privileges. */
  readonly noNewPrivs: boolean;
  readonly seccomp: SeccompFilter | undefined;
}

/** System calls that fail with EPERM. */
export interface SeccompFilter {
  /** By the call's name on x86_64. */
  forbids(call: string): boolean;
}
