import type { Socket } from 'node:net';
import { GrowingBuffer } from '../input/growing-buffer.js';

/** Bytes of a waiting client that are kept; further bytes are read when its turn comes. */
const MOST_BYTES = 64 * 1024;

/**
 * Keeps the bytes that a client sends while its connection waits, and aborts `gone` when the client disconnects. The
 * returned function gives the bytes back to the next reader of the socket.
 */
export function holdBack(socket: Socket, gone: AbortController): () => void {
  const kept = new GrowingBuffer();
  const leave = () => {
    gone.abort();
    socket.destroy();
  };
  const keep = () => {
    while (kept.length < MOST_BYTES) {
      const chunk = socket.read() as Buffer | null;
      if (chunk === null) return;
      kept.append(chunk);
    }
  };
  const ignore = () => {};
  socket.on('readable', keep).on('end', leave).on('close', leave).on('error', ignore);
  return () => {
    socket.off('readable', keep).off('end', leave).off('close', leave).off('error', ignore);
    if (kept.length > 0 && !socket.destroyed) socket.unshift(kept.bytes());
  };
}
