import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../../base/clock/clock.js';
import { BrokenPipe, emptySource, nullSink } from './pipe.js';
import type { ByteSink, ByteSource } from './process.js';
import { unlessAborted } from './wait-list.js';

/** A client's input for a process; a client that disconnects is at its end. */
export function sourceOf(stream: Readable | undefined, clock: Clock): ByteSource {
  if (stream === undefined) return emptySource;
  const chunks = stream[Symbol.asyncIterator]();
  let next: Promise<IteratorResult<Buffer, undefined>> | undefined;
  let over = false;
  const ended = { done: true, value: undefined } as const;
  return {
    // A killed reader leaves later input to the next one.
    read: async (signal) => {
      while (!over) {
        next ??= chunks.next().catch(() => ended);
        const taken = next;
        const { value, done } = await clock.idle(unlessAborted(taken, signal));
        if (next !== taken) continue;
        next = undefined;
        over = done === true;
        if (!over) return Buffer.from(value as Buffer);
      }
      return null;
    },
  };
}

/** A client's output from a process. The process waits for a slow client; one that left is a broken pipe. */
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
