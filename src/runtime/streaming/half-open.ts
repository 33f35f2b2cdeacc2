import type { Socket } from 'node:net';
import type { Clock, Timer } from '../../base/clock/clock.js';

/** Limits of connections without a request. */
export interface HalfOpenLimits {
  /** Connections without a request; one more closes the oldest. */
  readonly connections: number;
  /** Time in ms that a connection has to send its request. */
  readonly timeout: number;
}

interface Waiting {
  readonly socket: Socket;
  readonly timer: Timer;
}

/** Connections without a request yet. With too many, closes the oldest: real clients send one immediately. */
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
    this.#remove(key);
    const timer = this.#clock.setTimer(this.#limits.timeout, () => {
      socket.destroy();
    });
    this.#waiting.set(key, { socket, timer });
    // Another connection with the same ports may have begun.
    socket.once('close', () => this.#waiting.get(key)?.socket === socket && this.#remove(key));
    socket.on('error', () => {});
    for (const [oldest, { socket: first }] of this.#waiting) {
      if (this.#waiting.size <= this.#limits.connections) break;
      this.#remove(oldest);
      first.destroy();
    }
  }

  /** The request has arrived. With TLS, the socket differs from the added one, but the same addresses and ports. */
  complete(socket: Socket): void {
    this.#remove(keyOf(socket));
  }

  #remove(key: string): void {
    this.#waiting.get(key)?.timer.cancel();
    this.#waiting.delete(key);
  }
}

const keyOf = ({ remoteAddress, remotePort, localAddress, localPort }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
