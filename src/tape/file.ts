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
  /** Compressed if it ends in `.gz`. Overwrites an existing tape, and refuses any other file. */
  readonly file: string;
  /** False if a client chose the name: it must be a regular file then. Default true. */
  readonly followsLinks?: boolean | undefined;
  /** Writes nothing before `release`, so that a failed start leaves the file unchanged. Default false. */
  readonly held?: boolean | undefined;
  readonly about: About;
  /** Categories to keep unredacted; default none. */
  readonly keep?: readonly Redaction[] | undefined;
  /** Called once if the recording ends before it is closed, for example on a full disk. */
  readonly onFailure?: ((message: string) => void) | undefined;
}

export interface Recording {
  readonly file: string;
  readonly entries: number;
  release(): void;
  /** Writes the rest and closes the file. If still held, leaves the file unchanged. */
  close(): Promise<void>;
}

/** Maximum time in ms that data stays in the compressor. */
const FLUSH = 1000;

/**
 * Writes a tape into a file line by line from now on. Throws UserError if the file can't be created. If the disk
 * becomes full later, only the recording ends.
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
  // A flush leaves a mark in compressed data, so a run in virtual time does without: equal bytes on any machine.
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

/** Selects the entries of a recording: replies to calls from before its start would be orphans. */
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
