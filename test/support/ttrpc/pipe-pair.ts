import type { Pipe, PipeHandlers } from '../../../src/runtime/ttrpc/pipe.js';

/**
 * Two ends of a connection in memory. Bytes written at one end arrive at the other in the next microtasks, in pieces of
 * the given lengths, cyclically; by default as written.
 */
export function pipePair(pieces: readonly number[] = []): [Pipe, Pipe] {
  const ends: (PipeHandlers | undefined)[] = [undefined, undefined];
  let isClosed = false;
  let turn = 0;
  const cut = (bytes: Buffer): Buffer[] => {
    if (pieces.length === 0) return [bytes];
    const parts: Buffer[] = [];
    for (let rest = bytes; rest.length > 0; ) {
      const size = pieces[turn++ % pieces.length] ?? 1;
      parts.push(rest.subarray(0, size));
      rest = rest.subarray(size);
    }
    return parts;
  };
  const close = () => {
    if (isClosed) return;
    isClosed = true;
    queueMicrotask(() => {
      for (const end of ends) end?.closed();
    });
  };
  const end = (own: number): Pipe => ({
    listen: (handlers) => {
      ends[own] = handlers;
    },
    write: (bytes) => {
      if (isClosed) return;
      for (const part of cut(Buffer.from(bytes))) queueMicrotask(() => ends[1 - own]?.data(part));
    },
    close,
  });
  return [end(0), end(1)];
}
