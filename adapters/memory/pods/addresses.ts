import { createServer, type Server } from 'node:net';
import { isPodAddress } from '../../../src/base/network/network.js';
import { createRandom } from '../../../src/base/random/random.js';

/** Addresses of 127.64.0.0/10. */
const SIZE = 2 ** 22;
const BLOCK = 256;
const APART = 2 ** 16;
/** Listening on this port, at the address below the first one of a pool, reserves that pool's addresses. */
const RESERVATION_PORT = 10_064;

/**
 * Pod addresses: loopback ones of 127.64.0.0/10, which nothing else uses. Servers on one machine begin at different
 * addresses, so that their pods don't collide: each at a /24 that its `place` (its socket's path) selects; without one,
 * at 127.64.0.1.
 */
export class AddressPool {
  #first: number;
  #reservation: Server | undefined;
  readonly #free: number[] = [];
  #taken = 0;

  constructor(place?: string) {
    const block = place === undefined ? 0 : Math.floor(createRandom(place).next() * (SIZE / BLOCK));
    this.#first = block * BLOCK + 1;
  }

  /** Finds addresses that no other pool of this machine has reserved. Call it before the first `take`; release it. */
  async reserve(): Promise<void> {
    for (let first = 1; first < SIZE; first += APART) {
      this.#reservation = await listenAt(addressOf(first - 1));
      if (this.#reservation === undefined) continue;
      this.#first = first;
      return;
    }
    throw new Error(`all ${SIZE / APART} places for pod addresses are reserved by other simulations`);
  }

  async releaseReservation(): Promise<void> {
    const reservation = this.#reservation;
    this.#reservation = undefined;
    if (reservation !== undefined) await new Promise((resolve) => reservation.close(resolve));
  }

  take(): string {
    const offset = this.#free.pop() ?? this.#taken++;
    if (offset >= SIZE) throw new RangeError('all 4,194,304 pod addresses of 127.64.0.0/10 are taken');
    return addressOf((this.#first + offset) % SIZE);
  }

  has(address: string): boolean {
    const offset = this.#offsetOf(address);
    return offset !== undefined && offset < this.#taken && !this.#free.includes(offset);
  }

  release(address: string): void {
    const offset = this.#offsetOf(address);
    if (offset !== undefined) this.#free.push(offset);
  }

  #offsetOf(address: string): number | undefined {
    if (!isPodAddress(address)) return undefined;
    const [, second = 0, third = 0, fourth = 0] = address.split('.').map(Number);
    const index = ((second - 64) << 16) | (third << 8) | fourth;
    return (index - this.#first + SIZE) % SIZE;
  }
}

/** Joined, because a template literal keeps its parts while the pod lives. */
const addressOf = (index: number): string =>
  [127, 64 + (index >> 16), (index >> 8) & 255, index & 255].join('.');

/** Undefined if another program listens there. */
async function listenAt(host: string): Promise<Server | undefined> {
  const server = createServer((socket) => socket.destroy()).unref();
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    );
    server.listen({ host, port: RESERVATION_PORT, exclusive: true }, () => resolve(server));
  });
}
