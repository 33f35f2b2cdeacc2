import type { Clock } from '../../../src/base/clock/clock.js';
import { sinkOf, sourceOf } from '../../../src/linux/process/node-streams.js';
import type { ByteSink, ByteSource, Terminal } from '../../../src/linux/process/process.js';
import { createTerminal, type OpenTerminal } from '../../../src/linux/process/terminal.js';
import { WaitList } from '../../../src/linux/process/wait-list.js';
import type { ProcessStreams } from '../../../src/runtime/engine/backend.js';

export interface ExecStreams {
  readonly stdin: ByteSource;
  readonly stdout: ByteSink;
  readonly stderr: ByteSink;
  readonly tty: Terminal | undefined;
  readonly holders: OutputHolders;
}

/** The descriptors of an exec's shells and their children that refer to one of its outputs. */
class OutputHolders {
  readonly #clock: Clock;
  readonly #waiting: WaitList;
  #count = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#waiting = new WaitList(clock);
  }

  of(sink: ByteSink): ByteSink {
    return {
      ...sink,
      retain: () => {
        this.#count++;
      },
      release: () => {
        if (--this.#count === 0) this.#waiting.wakeAll();
      },
    };
  }

  /** Resolves when none is left, after `limit` ms, or when `signal` aborts. */
  async gone(limit: number, signal: AbortSignal): Promise<void> {
    const late = new AbortController();
    const timer = Number.isFinite(limit) ? this.#clock.setTimer(limit, () => late.abort()) : undefined;
    const end = AbortSignal.any([signal, late.signal]);
    while (this.#count > 0 && !end.aborted) await this.#waiting.wait(end).catch(() => {});
    timer?.cancel();
  }
}

/** The client's streams, with a terminal between if it requested one; a terminal has no separate stderr. */
export function openExecStreams(streams: ProcessStreams, tty: boolean, clock: Clock): ExecStreams {
  const [keys, screen] = [sourceOf(streams.stdin, clock), sinkOf(streams.stdout)];
  const holders = new OutputHolders(clock);
  if (!tty) {
    const [stdout, stderr] = [holders.of(screen), holders.of(sinkOf(streams.stderr))];
    return { stdin: keys, stdout, stderr, tty: undefined, holders };
  }
  const opened = createTerminal({ clock, stdin: keys, stdout: screen });
  followSize(opened, streams);
  const { stdin, stdout, terminal } = opened;
  return { stdin, stdout, stderr: stdout, tty: terminal, holders };
}

export function followSize(terminal: OpenTerminal, { resize }: ProcessStreams): void {
  const follow = async () => {
    for await (const size of resize ?? []) terminal.resize(size);
  };
  // A disconnected client no longer has a window.
  follow().catch(() => {});
}
