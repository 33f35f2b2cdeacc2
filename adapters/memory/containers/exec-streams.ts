import type { Clock } from '../../../src/base/clock/clock.js';
import { sinkOf, sourceOf } from '../../../src/linux/process/node-streams.js';
import type { ByteSink, ByteSource, Terminal } from '../../../src/linux/process/process.js';
import { createTerminal, type OpenTerminal } from '../../../src/linux/process/terminal.js';
import type { ProcessStreams } from '../../../src/runtime/engine/backend.js';

export interface ExecStreams {
  readonly stdin: ByteSource;
  readonly stdout: ByteSink;
  readonly stderr: ByteSink;
  readonly tty: Terminal | undefined;
}

/** The client's streams, with a terminal between if it requested one; a terminal has no separate stderr. */
export function openExecStreams(streams: ProcessStreams, tty: boolean, clock: Clock): ExecStreams {
  const [keys, screen] = [sourceOf(streams.stdin, clock), sinkOf(streams.stdout)];
  if (!tty) return { stdin: keys, stdout: screen, stderr: sinkOf(streams.stderr), tty: undefined };
  const opened = createTerminal({ clock, stdin: keys, stdout: screen });
  followSize(opened, streams);
  const { stdin, stdout, terminal } = opened;
  return { stdin, stdout, stderr: stdout, tty: terminal };
}

export function followSize(terminal: OpenTerminal, { resize }: ProcessStreams): void {
  const follow = async () => {
    for await (const size of resize ?? []) terminal.resize(size);
  };
  // A client that disconnects has no window any more.
  follow().catch(() => {});
}
