import { randomBytes } from 'node:crypto';
import type { Clock, Timer } from '../base/clock/clock.js';
import { createRealClock } from '../base/clock/real-clock.js';
import type { Entry } from './entries.js';
import { createEntryWriter } from './entry-writer.js';
import { type About, headerAt } from './header.js';
import type { Redaction } from './keep.js';
import { createLineWriter } from './line-writer.js';
import { openOutput } from './output.js';
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

/** How long what was written may stay in the compressor, in ms. */
const FLUSH = 1000;

/**
 * Writes a tape from now on into a file, line by line. Throws UserError when the file can't be made. A disk that is full
 * later ends the recording and nothing else.
 */
export async function recordToFile(options: RecordingOptions): Promise<Recording> {
  const { tape, file, followsLinks = true, held = false, keep = [], onFailure } = options;
  const to = await openOutput(file, followsLinks);
  const kept = new Set(keep);
  const start = tape.now();
  const isOfThis = createBeginning();
  const writer = createEntryWriter({
    to,
    lineOf: createLineWriter(createRedactor(kept, randomBytes(32))),
    held,
    onFailure: ({ code, message }) => {
      stop();
      onFailure?.(`the recording into ${file} has ended: ${code ?? message}`);
    },
  });
  const stop = tape.listen({
    entry: (entry) => {
      if (isOfThis(entry)) writer.add({ ...entry, t: entry.t - start });
    },
    room: writer.room,
  });
  writer.add(headerAt(tape, start, options.about, kept));
  // A run in virtual time has the same bytes on a slow machine: a flush leaves a mark in compressed data.
  const flushing =
    tape.clock.kind === 'real' && to.flush ? repeat(writer.flush, FLUSH, createRealClock()) : undefined;

  return {
    file,
    get entries() {
      return writer.count;
    },
    release: writer.release,
    close: async () => {
      stop();
      flushing?.cancel();
      await writer.close();
    },
  };
}

/** Says which entries a recording has: what answers a call from before its start would be an answer to nothing. */
function createBeginning(): (entry: Entry) => boolean {
  let firstCall: number | undefined;
  return (entry) => {
    if (entry.kind === 'call') firstCall ??= entry.call;
    return !isAnswer(entry) || (firstCall !== undefined && entry.call >= firstCall);
  };
}

const isAnswer = (entry: Entry): entry is Extract<Entry, { kind: 'reply' | 'message' | 'end' }> =>
  entry.kind === 'reply' || entry.kind === 'message' || entry.kind === 'end';

function repeat(work: () => unknown, every: number, clock: Clock): Timer {
  const again = (): Timer =>
    clock.setTimer(every, () => {
      work();
      timer = again();
    });
  let timer = again();
  return { cancel: () => timer.cancel() };
}
