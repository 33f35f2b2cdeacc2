import type { Clock } from '../../../src/clock/clock.js';
import type { ByteSink, ByteSource } from './process.js';

/** What a pipe holds before its writer has to wait, as on Linux. */
const CAPACITY = 64 * 1024;

/** Writing to a pipe that nobody reads any more; the writer dies of PIPE unless it cares. */
export class BrokenPipe extends Error {
  override readonly name = 'BrokenPipe';

  constructor() {
    super('Broken pipe');
  }
}

export interface Pipe extends ByteSource, ByteSink {
  /** The reader is gone: every write, now and later, rejects with BrokenPipe. */
  close(): void;
}

/** A bounded queue of bytes between a writer and a reader. */
export function createPipe(clock: Clock): Pipe {
  const chunks: Buffer[] = [];
  let size = 0;
  let ended = false;
  let broken = false;
  let wakeReader: (() => void) | undefined;
  let writers: (() => void)[] = [];

  const wakeWriters = () => {
    const waiting = writers;
    writers = [];
    for (const wake of waiting) wake();
  };

  const read = async (): Promise<Buffer | null> => {
    while (chunks.length === 0) {
      if (ended || broken) return null;
      await clock.idle(
        new Promise<void>((resolve) => {
          wakeReader = resolve;
        }),
      );
    }
    const chunk = chunks.shift() as Buffer;
    size -= chunk.length;
    wakeWriters();
    return chunk;
  };

  const write = async (chunk: Buffer): Promise<void> => {
    while (size >= CAPACITY && !broken) {
      await clock.idle(new Promise<void>((resolve) => writers.push(resolve)));
    }
    if (broken || ended) throw new BrokenPipe();
    if (chunk.length === 0) return;
    chunks.push(chunk);
    size += chunk.length;
    wakeReader?.();
  };

  return {
    read,
    write,
    end: () => {
      ended = true;
      wakeReader?.();
    },
    close: () => {
      broken = true;
      chunks.length = 0;
      size = 0;
      wakeReader?.();
      wakeWriters();
    },
  };
}

/** A source that is at its end, and a sink that forgets. */
export const emptySource: ByteSource = { read: async () => null };
export const nullSink: ByteSink = { write: async () => {}, end: () => {} };
