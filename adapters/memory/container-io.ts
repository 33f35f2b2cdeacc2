import type { Clock } from '../../src/clock/clock.js';
import type { ContainerSpec, ProcessStreams } from '../../src/engine/backend.js';
import { followSize } from './exec-streams.js';
import { type CriLog, openCriLog } from './logs/cri-log.js';
import type { LogStream } from './logs/line-splitter.js';
import { sinkOf, sourceOf } from './process/node-streams.js';
import { createPipe, emptySource, nullSink, type Pipe } from './process/pipe.js';
import type { ByteSink, ByteSource, Terminal } from './process/process.js';
import { createTerminal } from './process/terminal.js';

/** The streams of a container's main process: its log, and the clients that are attached. */
export interface ContainerIo {
  readonly stdin: ByteSource;
  readonly stdout: ByteSink;
  readonly stderr: ByteSink;
  readonly tty: Terminal | undefined;
  /** Joins a client; what it sends goes to stdin. The returned function lets it go. */
  attach(streams: ProcessStreams): () => void;
  reopenLog(): Promise<void>;
  /** Writes what is left to the log. */
  close(): Promise<void>;
}

export interface ContainerIoOptions {
  readonly clock: Clock;
  readonly spec: ContainerSpec;
  readonly warn: (message: string, error: unknown) => void;
}

export async function openContainerIo({ clock, spec, warn }: ContainerIoOptions): Promise<ContainerIo> {
  const { config, logPath } = spec;
  const log =
    logPath === undefined
      ? undefined
      : await openCriLog({
          path: logPath,
          clock,
          onError: (error) => warn(`the log of container ${spec.id} can't be written`, error),
        });
  const clients: Record<LogStream, Set<ByteSink>> = { stdout: new Set(), stderr: new Set() };
  const stdin: Pipe | undefined = config.stdin ? createPipe(clock) : undefined;

  const stdout = fanOut(log, 'stdout', clients.stdout);
  // A terminal that nobody can type on is silent, not at its end.
  const terminal = config.tty
    ? createTerminal({ clock, stdin: stdin ?? createPipe(clock), stdout })
    : undefined;

  return {
    stdin: terminal?.stdin ?? stdin ?? emptySource,
    stdout: terminal?.stdout ?? stdout,
    stderr: terminal?.stdout ?? fanOut(log, 'stderr', clients.stderr),
    tty: terminal?.terminal,
    attach: (streams) => {
      if (terminal) followSize(terminal, streams);
      const stdout = sinkOf(streams.stdout);
      const stderr = sinkOf(streams.stderr);
      clients.stdout.add(stdout);
      clients.stderr.add(stderr);
      if (stdin !== undefined && streams.stdin !== undefined)
        void clock.run(() => feed(stdin, sourceOf(streams.stdin, clock), config.stdinOnce));
      return () => {
        clients.stdout.delete(stdout);
        clients.stderr.delete(stderr);
      };
    },
    reopenLog: async () => log?.reopen(),
    close: async () => {
      stdin?.close();
      await log?.close();
    },
  };
}

/** The log comes first: a client that reads slowly or breaks off takes nothing from it. */
function fanOut(log: CriLog | undefined, stream: LogStream, clients: Set<ByteSink>): ByteSink {
  const file = log?.sink(stream) ?? nullSink;
  return {
    write: async (chunk) => {
      await file.write(chunk);
      for (const client of clients) await client.write(chunk).catch(() => clients.delete(client));
    },
    end: () => {},
  };
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
