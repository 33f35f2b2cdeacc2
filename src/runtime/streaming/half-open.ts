import type { Socket } from 'node:net';
import type { Clock, Timer } from '../../base/clock/clock.js';

/** How many connections without a request there may be, and for how long. */
export interface HalfOpenLimits {
  /** Connections that may be without a request; the oldest goes when there is one more. */
  readonly connections: number;
  /** Time in ms in which a connection has to bring its request. */
  readonly timeout: number;
}

interface Waiting {
  readonly socket: Socket;
  readonly timer: Timer;
}

/**
 * Connections that have not brought a request yet. A client that means it brings it at once, so when there are too
 * many the oldest is closed: a client that opens thousands closes its own.
 */
export class HalfOpenConnections {
  readonly #clock: Clock;
  readonly #limits: HalfOpenLimits;
  readonly #waiting = new Map<string, Waiting>();

  constructor(clock: Clock, limits: HalfOpenLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  add(socket: Socket): void {
    const key = keyOf(socket);
    const timer = this.#clock.setTimer(this.#limits.timeout, () => {
      socket.destroy();
    });
    this.#waiting.set(key, { socket, timer });
    socket.once('close', () => this.#remove(key));
    socket.on('error', () => {});
    for (const [oldest, { socket: first }] of this.#waiting) {
      if (this.#waiting.size <= this.#limits.connections) break;
      this.#remove(oldest);
      first.destroy();
    }
  }

  /** The request is there. With TLS the socket is another one than was added, with the same peer. */
  complete(socket: Socket): void {
    this.#remove(keyOf(socket));
  }

  #remove(key: string): void {
    this.#waiting.get(key)?.timer.cancel();
    this.#waiting.delete(key);
  }
}

function keyOf(socket: Socket): string {
  return `${socket.remoteAddress} ${socket.remotePort}`;
}
