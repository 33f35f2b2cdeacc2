import { randomBytes } from 'node:crypto';
import { finished } from 'node:stream/promises';
import type { Clock, Timer } from '../clock/clock.js';
import { createRealClock } from '../clock/real-clock.js';
import { turn } from '../clock/turn.js';
import type { Entry } from './entries.js';
import { type About, headerAt } from './header.js';
import type { Redaction } from './keep.js';
import { createLineWriter } from './line-writer.js';
import { drained, openOutput } from './output.js';
import { createRedactor } from './redact.js';
import type { ReadableTape } from './tape.js';

/** How a recording is kept. */
export interface RecordingOptions {
  readonly tape: ReadableTape;
  /** Compressed when it ends in `.gz`; a tape that is there is written over. Another file is refused. */
  readonly file: string;
  /** False for a name that comes from a client: it names a regular file. Default true. */
  readonly followsLinks?: boolean | undefined;
  /** Whether nothing is written before `release`, so that a start that fails leaves the file as it was. Default false. */
  readonly held?: boolean | undefined;
  readonly about: About;
  /** What is not redacted; nothing by default. */
  readonly keep?: readonly Redaction[] | undefined;
  /** Called once if the recording ends before it is closed, as on a full disk. */
  readonly onFailure?: ((message: string) => void) | undefined;
}

/** A recording that is under way. */
export interface Recording {
  readonly file: string;
  /** Entries that were taken so far. */
  readonly entries: number;
  /** Lets a recording that is held write. */
  release(): void;
  /** Writes what is left, and closes the file. One that is still held leaves the file as it was. */
  close(): Promise<void>;
}

/** How long entries are collected before they are written, in ms. Calls do not wait for it. */
const DELAY = 20;
/** How long what was written may stay in the compressor, in ms. */
const FLUSH = 1000;
/** Characters that are made before other work has its turn. */
const SLICE = 64 * 1024;
/** Bytes of entries that may wait before calls wait, too. */
const FULL = 32 * 1024 * 1024;
/** Entries and bytes beyond which entries are lost: what isn't a call can't wait. */
const OVERFULL = 4 * FULL;
/** Size of an entry without its message, in bytes. */
const ENTRY = 300;

/**
 * Writes a tape from now on into a file, line by line. Throws UserError when the file can't be made. A disk that is full
 * later ends the recording and nothing else.
 */
export async function recordToFile(options: RecordingOptions): Promise<Recording> {
  const { tape, file, followsLinks = true, keep = [], onFailure } = options;
  const { stream, output, flush, empty, discard } = await openOutput(file, followsLinks);
  const machine = createRealClock();
  const kept = new Set(keep);
  const start = tape.now();
  const lineOf = createLineWriter(createRedactor(kept, randomBytes(32)));
  let pending: Entry[] = [];
  let size = 0;
  let lost = 0;
  let count = 0;
  let timer: Timer | undefined;
  let working: Promise<void> | undefined;
  let failed = false;
  let firstCall: number | undefined;
  let isHeld = options.held ?? false;
  /** Nothing of this recording is in the file before; a flush would write the head of compressed data. */
  let hasBegun = false;

  const fail = (error: NodeJS.ErrnoException) => {
    if (failed) return;
    failed = true;
    stop();
    pending = [];
    size = 0;
    onFailure?.(`the recording into ${file} has ended: ${error.code ?? error.message}`);
  };
  stream.on('error', fail);
  output.on('error', fail);

  const drain = async (): Promise<void> => {
    if (isHeld) return;
    if (!hasBegun) await empty().catch(fail);
    hasBegun = true;
    while (pending.length > 0 && !failed) {
      const batch = pending;
      pending = [];
      for (let index = 0; index < batch.length && !failed; ) {
        let text = '';
        for (; index < batch.length && text.length < SLICE; index++) {
          const entry = batch[index] as Entry;
          size -= sizeOf(entry);
          text += lineOf(entry);
        }
        if (!stream.write(text)) await drained(stream);
        else await turn();
      }
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
  const take = (entry: Entry) => {
    pending.push(entry);
    size += sizeOf(entry);
    count++;
    if (working === undefined) timer ??= machine.setTimer(DELAY, work);
  };
  const stop = tape.listen({
    entry: (given) => {
      if (given.kind === 'call') firstCall ??= given.call;
      // What answers a call from before the start would be an answer to nothing.
      if (isAnswer(given) && given.call < (firstCall ?? Number.POSITIVE_INFINITY)) return;
      const entry = { ...given, t: given.t - start };
      if (size > OVERFULL) return void lost++;
      if (lost > 0) {
        take({ t: entry.t, kind: 'gap', lost, text: 'they came faster than they could be written' });
        lost = 0;
      }
      take(entry);
    },
    room: () => (size > FULL ? work() : undefined),
  });
  take(headerAt(tape, start, options.about, kept));
  // A run in virtual time has the same bytes on a slow machine: a flush leaves a mark in compressed data.
  const flushing =
    tape.clock.kind === 'real' && flush ? repeat(() => hasBegun && flush(), FLUSH, machine) : undefined;

  return {
    file,
    get entries() {
      return count;
    },
    release: () => {
      isHeld = false;
      void work();
    },
    close: async () => {
      stop();
      flushing?.cancel();
      if (isHeld) return discard();
      await work();
      await work();
      if (failed) return;
      stream.end();
      await finished(output).catch(fail);
    },
  };
}

const isAnswer = (entry: Entry): entry is Extract<Entry, { kind: 'reply' | 'message' | 'end' }> =>
  entry.kind === 'reply' || entry.kind === 'message' || entry.kind === 'end';

/** About what an entry takes in memory. */
const sizeOf = (entry: Entry): number =>
  ENTRY + ('message' in entry ? (entry.message?.bytes().length ?? 0) : 0);

function repeat(work: () => unknown, every: number, clock: Clock): Timer {
  const again = (): Timer =>
    clock.setTimer(every, () => {
      work();
      timer = again();
    });
  let timer = again();
  return { cancel: () => timer.cancel() };
}
