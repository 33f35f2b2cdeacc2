import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../clock/clock.js';
import { holdBack } from './held-back.js';
import { shapeSocket } from './shaped-socket.js';

/** How a server treats a new connection. */
export interface SocketTreatment {
  /** Close it immediately. */
  readonly refuse: boolean;
  /** Extra milliseconds for all bytes, each way. */
  readonly latency: number;
  readonly bytesPerSecond: number | undefined;
  /** Aborts when bytes pass as usual again. */
  readonly released: AbortSignal;
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

/** Drops a connection: TCP with a reset. */
export function breakSocket(socket: Socket): void {
  if (socket.remoteAddress === undefined) socket.destroy();
  else socket.resetAndDestroy();
}
