import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import type { Clock } from '../clock/clock.js';
import { GrowingBuffer } from '../input/growing-buffer.js';
import { type Shape, shapeSocket } from './shaped-socket.js';

/** Bytes of a waiting client that are kept; further bytes are read when its turn comes. */
const MOST_BYTES = 64 * 1024;

/** How a server treats a new connection. */
export interface SocketTreatment extends Shape {
  /** Close it immediately. */
  readonly refuse: boolean;
}

/** Holds a connection until its treatment is known; resolves with what the server reads, undefined for a closed one. */
export async function underTreatment<T extends SocketTreatment>(
  socket: Socket,
  given: Promise<T>,
  gone: AbortController,
  clock: Clock,
): Promise<{ readonly wire: Duplex; readonly treatment: T } | undefined> {
  const giveBack = holdBack(socket, gone);
  const treatment = await given;
  giveBack();
  if (treatment.refuse) breakSocket(socket);
  if (socket.destroyed) return undefined;
  const isShaped = treatment.latency > 0 || treatment.bytesPerSecond !== undefined;
  return { wire: isShaped ? shapeSocket(socket, treatment, clock) : socket, treatment };
}

/**
 * Keeps the bytes that a client sends while its connection waits, and aborts `gone` when the client disconnects. The
 * returned function gives the bytes back to the next reader of the socket.
 */
function holdBack(socket: Socket, gone: AbortController): () => void {
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

/** Drops a connection: TCP with a reset. Node can't reset one below TLS. */
export function breakSocket(socket: Socket): void {
  if (socket.remoteAddress === undefined || socket instanceof TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}
