import type { Duplex } from 'node:stream';
import type { Clock } from '../../../src/clock/clock.js';
import type { FileSystem } from './file-system.js';

/** How a process ended: with a code, or killed by a signal (seen from outside as 128 + number). */
export type ExitStatus =
  | { readonly code: number; readonly signal?: undefined; readonly oom?: undefined }
  | { readonly signal: SignalName; readonly oom?: boolean; readonly code?: undefined };

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

/** A simulated process, seen from the program that it runs. */
export interface Process {
  readonly pid: number;
  /** 0 for a process that was started from outside the container. */
  readonly ppid: number;
  readonly argv: readonly string[];
  readonly env: ReadonlyMap<string, string>;
  readonly cwd: string;
  readonly user: ProcessUser;
  readonly clock: Clock;
  readonly fs: FileSystem;
  readonly stdin: ByteSource;
  readonly stdout: ByteSink;
  readonly stderr: ByteSink;
  readonly tty: Terminal | undefined;
  /** Aborts when the process is killed: every wait of the program ends then. */
  readonly killed: AbortSignal;
  /** Sleeps on the clock; rejects when killed. */
  sleep(milliseconds: number): Promise<void>;
  /** Catches a signal instead of dying of it; undefined restores the default. KILL and STOP can't be caught. */
  onSignal(signal: SignalName, handler: (() => void) | 'ignore' | undefined): void;
  spawn(options: SpawnOptions): Process & { readonly exit: Promise<ExitStatus> };
  /** Opens a TCP port on the pod's addresses. */
  listen(port: number, accept: (connection: Duplex) => void): Promise<Listener>;
  /** What the container that the process lives in looks like from inside. */
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
}

export interface ProcessUser {
  readonly uid: number;
  readonly gid: number;
  readonly groups: readonly number[];
  readonly name: string;
}

/** Bytes to read; null at the end. */
export interface ByteSource {
  read(): Promise<Buffer | null>;
}

/** Bytes to write. `write` resolves when the reader has room for more, and rejects with EPIPE once it is gone. */
export interface ByteSink {
  write(chunk: Buffer): Promise<void>;
  end(): void;
}

export interface Terminal {
  size(): { readonly width: number; readonly height: number };
}

export interface Listener {
  readonly port: number;
  close(): Promise<void>;
}

/** Facts of the container's configuration that commands show (`id`, `hostname`, `/proc/self/status`, `df`, …). */
export interface ContainerView {
  readonly id: string;
  readonly hostname: string;
  readonly ips: readonly string[];
  readonly memoryLimit: number | undefined;
  readonly capabilities: readonly string[];
  readonly privileged: boolean;
  readonly readonlyRootfs: boolean;
  readonly sysctls: ReadonlyMap<string, string>;
  /** All live processes of the pid namespace, by pid. */
  processes(): readonly Process[];
  /** Sends a signal to one of them; false when there is none. */
  kill(pid: number, signal: SignalName): boolean;
}
