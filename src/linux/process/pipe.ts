import type { Clock } from '../../base/clock/clock.js';
import type { ByteSink, ByteSource } from './process.js';
import { WaitList } from './wait-list.js';

/** Capacity of a pipe, as on Linux. */
const CAPACITY = 64 * 1024;
/** Writes that stay separate: a buffer for each byte would take a hundred times their size. */
const MAX_CHUNKS = 256;

/** A write to a pipe without a reader; PIPE ends the writer unless it handles the signal. */
export class BrokenPipe extends Error {
  override readonly name = 'BrokenPipe';

  constructor() {
    super('Broken pipe');
  }
}

/** pipe(7): both of its ends. */
export interface Pipe extends ByteSource, ByteSink {
  unread(chunk: Buffer): void;
  readonly terminal?: undefined;
  /** The reader is gone: all writes reject with BrokenPipe. */
  close(): void;
}

/** A bounded queue of bytes between a writer and a reader. */
export function createPipe(clock: Clock): Pipe {
  let chunks: Buffer[] = [];
  let size = 0;
  let ended = false;
  let broken = false;
  const readers = new WaitList(clock);
  const writers = new WaitList(clock);

  const read = async (signal?: AbortSignal): Promise<Buffer | null> => {
    while (chunks.length === 0) {
      if (ended || broken) return null;
      await readers.wait(signal);
    }
    const chunk = chunks.shift() as Buffer;
    size -= chunk.length;
    writers.wakeAll();
    return chunk;
  };

  const write = async (chunk: Buffer, signal?: AbortSignal): Promise<void> => {
    for (let at = 0; at === 0 || at < chunk.length; at += CAPACITY) {
      while (size >= CAPACITY && !broken) await writers.wait(signal);
      if (broken || ended) throw new BrokenPipe();
      const piece = chunk.subarray(at, at + CAPACITY);
      if (piece.length === 0) return;
      chunks.push(piece);
      if (chunks.length > MAX_CHUNKS) chunks = [Buffer.concat(chunks)];
      size += piece.length;
      readers.wakeAll();
    }
  };

  const unread = (chunk: Buffer): void => {
    if (chunk.length === 0 || broken) return;
    chunks.unshift(chunk);
    size += chunk.length;
    readers.wakeAll();
  };

  return {
    read,
    unread,
    write,
    end: () => {
      ended = true;
      readers.wakeAll();
    },
    close: () => {
      broken = true;
      chunks.length = 0;
      size = 0;
      readers.wakeAll();
      writers.wakeAll();
    },
  };
}

export const emptySource: ByteSource = { read: async () => null };
export const nullSink: ByteSink = { write: async () => {}, end: () => {} };
