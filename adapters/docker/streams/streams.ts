import { once } from 'node:events';
import type { Duplex, Writable } from 'node:stream';
import type { ProcessStreams, TerminalSize } from '../../../src/runtime/engine/backend.js';
import { type Frame, readFrames } from '../logs/frames.js';

export async function join(
  connection: Duplex,
  streams: ProcessStreams,
  tty: boolean,
  take: (frame: Frame) => boolean = () => false,
): Promise<void> {
  const { stdin } = streams;
  // Ending this side ends the process' input.
  const finish = () => connection.end();
  stdin?.once('end', finish);
  stdin?.pipe(connection, { end: false });
  connection.on('error', () => {});
  try {
    for await (const frame of tty ? plain(connection) : readFrames(connection)) {
      if (take(frame)) continue;
      await write(frame.stream === 'stderr' ? streams.stderr : streams.stdout, frame.data);
    }
  } finally {
    stdin?.off('end', finish);
    stdin?.unpipe(connection);
    connection.destroy();
  }
}

/** A terminal's output has one stream without frames. */
async function* plain(connection: AsyncIterable<Buffer>): AsyncGenerator<Frame> {
  for await (const data of connection) yield { stream: 'stdout', data };
}

/** Discards output that no client requested, or whose reader has left. */
async function write(target: Writable | undefined, data: Buffer): Promise<void> {
  if (target === undefined || target.destroyed || target.writableEnded) return;
  if (target.write(Buffer.from(data))) return;
  await Promise.race([once(target, 'drain'), once(target, 'close')]).catch(() => {});
}

/** Forwards sizes; ignores Docker's refusal of one. */
export async function resize(
  sizes: AsyncIterable<TerminalSize> | undefined,
  apply: (size: { h: number; w: number }) => Promise<unknown>,
): Promise<void> {
  for await (const { width, height } of sizes ?? []) await apply({ h: height, w: width }).catch(() => {});
}

/** Returns a function that stops watching. */
export function destroyOnAbort(connection: Duplex, signal: AbortSignal): () => void {
  const destroy = () => connection.destroy();
  if (signal.aborted) destroy();
  signal.addEventListener('abort', destroy, { once: true });
  return () => signal.removeEventListener('abort', destroy);
}
