import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../../../src/clock/clock.js';
import { BrokenPipe, emptySource, nullSink } from './pipe.js';
import type { ByteSink, ByteSource } from './process.js';

/** What a client sends, as a process reads it; a client that breaks off is at its end. */
export function sourceOf(stream: Readable | undefined, clock: Clock): ByteSource {
  if (stream === undefined) return emptySource;
  const chunks = stream[Symbol.asyncIterator]();
  let over = false;
  return {
    read: async () => {
      if (over) return null;
      const { value, done } = await clock
        .idle(chunks.next())
        .catch(() => ({ value: undefined, done: true as const }));
      over = done === true;
      return over ? null : Buffer.from(value as Buffer);
    },
  };
}

/** Where a client reads what a process writes. The process waits for a slow one; one that left is a broken pipe. */
export function sinkOf(stream: Writable | undefined): ByteSink {
  if (stream === undefined) return nullSink;
  return {
    write: (chunk) =>
      new Promise((resolve, reject) => {
        if (stream.destroyed || stream.writableEnded) return reject(new BrokenPipe());
        const gone = () => reject(new BrokenPipe());
        stream.once('close', gone);
        stream.write(chunk, (error) => {
          stream.off('close', gone);
          if (error) reject(new BrokenPipe());
          else resolve();
        });
      }),
    end: () => {},
  };
}
