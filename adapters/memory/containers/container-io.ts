import type { Clock } from '../../../src/base/clock/clock.js';
import type { ContainerConfig } from '../../../src/cri/gen/runtime/v1/api.js';
import type { NodeDisk } from '../../../src/linux/fs/node-disk.js';
import { sinkOf, sourceOf } from '../../../src/linux/process/node-streams.js';
import { createPipe, emptySource, type Pipe } from '../../../src/linux/process/pipe.js';
import type { ByteSink, ByteSource, Terminal } from '../../../src/linux/process/process.js';
import { createTerminal, type OpenTerminal } from '../../../src/linux/process/terminal.js';
import type { ProcessStreams } from '../../../src/runtime/engine/backend.js';
import { CriLog } from '../logs/cri-log.js';
import type { LogStream } from '../logs/line-splitter.js';
import { followSize } from './exec-streams.js';

export interface ContainerIoOptions {
  readonly clock: Clock;
  readonly config: Pick<ContainerConfig, 'stdin' | 'stdinOnce' | 'tty'>;
  /** Undefined if there is no log. */
  readonly logPath: string | undefined;
  readonly disk: NodeDisk;
  /** Called once, when the log can't be written. */
  readonly onError: (error: unknown) => void;
}

export class ContainerIo {
  readonly #clock: Clock;
  readonly #log: CriLog | undefined;
  readonly #stdinOnce: boolean;
  readonly #stdin: Pipe | undefined;
  readonly #stdout: FanOut;
  readonly #stderr: FanOut;
  readonly #terminal: OpenTerminal | undefined;

  /** Creates the log file. Reports a failure without stopping the container. */
  static async open({ clock, config, logPath, disk, onError }: ContainerIoOptions): Promise<ContainerIo> {
    const log = logPath === undefined ? undefined : new CriLog({ path: logPath, disk, clock, onError });
    await log?.make();
    return new ContainerIo(clock, config, log);
  }

  private constructor(clock: Clock, config: ContainerIoOptions['config'], log: CriLog | undefined) {
    this.#clock = clock;
    this.#log = log;
    this.#stdinOnce = config.stdinOnce;
    this.#stdin = config.stdin ? createPipe(clock) : undefined;
    this.#stdout = new FanOut(log, 'stdout');
    this.#stderr = new FanOut(log, 'stderr');
    // A terminal without a client stays silent, but is not at its end.
    this.#terminal = config.tty
      ? createTerminal({ clock, stdin: this.#stdin ?? createPipe(clock), stdout: this.#stdout })
      : undefined;
  }

  get streams(): { stdin: ByteSource; stdout: ByteSink; stderr: ByteSink; tty: Terminal | undefined } {
    const terminal = this.#terminal;
    return {
      stdin: terminal?.stdin ?? this.#stdin ?? emptySource,
      stdout: terminal?.stdout ?? this.#stdout,
      stderr: terminal?.stdout ?? this.#stderr,
      tty: terminal?.terminal,
    };
  }

  /** Adds a client; its input goes to stdin. The returned function removes it. */
  attach(streams: ProcessStreams): () => void {
    const stdin = this.#stdin;
    if (this.#terminal) followSize(this.#terminal, streams);
    const detach = [this.#stdout.add(sinkOf(streams.stdout)), this.#stderr.add(sinkOf(streams.stderr))];
    if (stdin !== undefined && streams.stdin !== undefined)
      void this.#clock.run(() => feed(stdin, sourceOf(streams.stdin, this.#clock), this.#stdinOnce));
    return () => {
      for (const step of detach) step();
    };
  }

  async reopenLog(): Promise<void> {
    await this.#log?.reopen();
  }

  async close(): Promise<void> {
    this.#stdin?.close();
    await this.#log?.close();
  }
}

/** A stream for the log and for clients. The log comes first, so that a slow client never delays it. */
class FanOut implements ByteSink {
  readonly #log: CriLog | undefined;
  readonly #stream: LogStream;
  #clients: Set<ByteSink> | undefined;

  constructor(log: CriLog | undefined, stream: LogStream) {
    this.#log = log;
    this.#stream = stream;
  }

  add(client: ByteSink): () => void {
    this.#clients ??= new Set();
    this.#clients.add(client);
    return () => this.#clients?.delete(client);
  }

  async write(chunk: Buffer, signal?: AbortSignal): Promise<void> {
    await this.#log?.write(this.#stream, chunk, signal);
    for (const client of this.#clients ?? [])
      await client.write(chunk).catch(() => this.#clients?.delete(client));
  }

  end(): void {}
}

/** Only with stdin_once does the first client's end close the container's stdin (cri-api ContainerConfig). */
async function feed(stdin: Pipe, client: ByteSource, once: boolean): Promise<void> {
  for (let chunk = await client.read(); chunk !== null; chunk = await client.read()) {
    const written = await stdin.write(chunk).then(
      () => true,
      () => false,
    );
    if (!written) return;
  }
  if (once) stdin.end();
}
