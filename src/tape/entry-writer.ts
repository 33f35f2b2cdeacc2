import { finished } from 'node:stream/promises';
import type { Timer } from '../base/clock/clock.js';
import { createRealClock } from '../base/clock/real-clock.js';
import { turn } from '../base/clock/turn.js';
import { type Backlog, createBacklog } from './backlog.js';
import type { Entry } from './entries.js';
import { drained, type Output } from './output.js';

export interface EntryWriterOptions {
  readonly to: Output;
  readonly lineOf: (entry: Entry) => string;
  /** Whether to write nothing before `release`. */
  readonly held: boolean;
  /** Called once, when nothing more can be written. */
  readonly onFailure: (error: NodeJS.ErrnoException) => void;
}

/** Writes entries in order, shortly after they arrive. */
export interface EntryWriter {
  add(entry: Entry): void;
  /** Resolves when more entries can be added; undefined if they can be now. */
  room(): Promise<void> | undefined;
  flush(): void;
  release(): void;
  /** Writes the rest and closes the file. If still held, leaves the file unchanged. */
  close(): Promise<void>;
  readonly count: number;
}

/** How long to collect entries before writing, in ms. Calls do not wait for it. */
const DELAY = 20;
const SLICE = 64 * 1024;

export function createEntryWriter({ to, lineOf, held, onFailure }: EntryWriterOptions): EntryWriter {
  const { stream, output } = to;
  const machine = createRealClock();
  const backlog = createBacklog();
  let timer: Timer | undefined;
  let working: Promise<void> | undefined;
  let failed = false;
  let isHeld = held;
  /** A flush before the first entry would write the head of compressed data. */
  let hasBegun = false;

  const fail = (error: NodeJS.ErrnoException) => {
    if (failed) return;
    failed = true;
    backlog.clear();
    onFailure(error);
  };
  stream.on('error', fail);
  output.on('error', fail);

  const drain = async (): Promise<void> => {
    if (isHeld) return;
    if (!hasBegun) await to.empty().catch(fail);
    hasBegun = true;
    while (!backlog.isEmpty && !failed)
      for (const text of textsOf(backlog, lineOf)) {
        if (!stream.write(text)) await drained(stream);
        else await turn();
        if (failed) return;
      }
  };
  /** One write runs at a time; entries that arrive meanwhile join it. */
  const work = (): Promise<void> => {
    timer?.cancel();
    timer = undefined;
    working ??= drain().finally(() => {
      working = undefined;
    });
    return working;
  };

  return {
    add: (entry) => {
      backlog.add(entry);
      if (working === undefined) timer ??= machine.setTimer(DELAY, work);
    },
    room: () => (backlog.isFull ? work() : undefined),
    flush: () => {
      if (hasBegun) to.flush?.();
    },
    release: () => {
      isHeld = false;
      void work();
    },
    close: async () => {
      if (isHeld) return to.discard();
      await work();
      await work();
      if (failed) return;
      stream.end();
      await finished(output).catch(fail);
    },
    get count() {
      return backlog.count;
    },
  };
}

function* textsOf(backlog: Backlog, lineOf: (entry: Entry) => string): Generator<string> {
  const batch = backlog.take();
  for (let index = 0; index < batch.length; ) {
    let text = '';
    for (; index < batch.length && text.length < SLICE; index++) {
      const entry = batch[index] as Entry;
      backlog.done(entry);
      text += lineOf(entry);
    }
    yield text;
  }
}
