import { finished } from 'node:stream/promises';
import type { Timer } from '../base/clock/clock.js';
import { createRealClock } from '../base/clock/real-clock.js';
import { turn } from '../base/clock/turn.js';
import { type Backlog, createBacklog } from './backlog.js';
import type { Entry } from './entries.js';
import { drained, type Output } from './output.js';

/** What a writer of entries needs. */
export interface EntryWriterOptions {
  readonly to: Output;
  /** The line of an entry, with its newline. */
  readonly lineOf: (entry: Entry) => string;
  /** Whether nothing is written before `release`. */
  readonly held: boolean;
  /** Called once, when nothing more can be written. */
  readonly onFailure: (error: NodeJS.ErrnoException) => void;
}

/** Writes entries in order, soon after they come. */
export interface EntryWriter {
  add(entry: Entry): void;
  /** Resolves when more can be added; undefined if it can be now. */
  room(): Promise<void> | undefined;
  /** Gets what is in the compressor to the disk. */
  flush(): void;
  /** Lets a writer that is held write. */
  release(): void;
  /** Writes what is left, and closes the file. One that is still held leaves the file as it was. */
  close(): Promise<void>;
  /** Entries that were taken so far. */
  readonly count: number;
}

/** How long entries are collected before they are written, in ms. Calls do not wait for it. */
const DELAY = 20;
/** Characters that are made before other work has its turn. */
const SLICE = 64 * 1024;

/** Writes into an output that was just opened. */
export function createEntryWriter({ to, lineOf, held, onFailure }: EntryWriterOptions): EntryWriter {
  const { stream, output } = to;
  const machine = createRealClock();
  const backlog = createBacklog();
  let timer: Timer | undefined;
  let working: Promise<void> | undefined;
  let failed = false;
  let isHeld = held;
  /** Nothing of this recording is in the file before; a flush would write the head of compressed data. */
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
  /** One at a time; what comes meanwhile is written in the same go. */
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

/** The lines of all that wait, in texts after each of which other work has its turn. */
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
