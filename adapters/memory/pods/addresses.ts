import { createRandom } from '../../../src/random/random.js';

/** Addresses of 127.64.0.0/10. */
const SIZE = 2 ** 22;
const BLOCK = 256;

const RANGE = /^127\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.\d{1,3}\.\d{1,3}$/;

/** Whether an address can only be a pod's. */
export const isPodAddress = (address: string): boolean => RANGE.test(address);

/**
 * Pod addresses: loopback ones of 127.64.0.0/10, which nothing else uses. Servers on one machine begin at different
 * places of it, so that their pods don't meet: each at a /24 that its `place` (its socket's path) selects; without
 * one, at 127.64.0.1.
 */
export class AddressPool {
  readonly #first: number;
  readonly #free: number[] = [];
  #taken = 0;

  constructor(place?: string) {
    const block = place === undefined ? 0 : Math.floor(createRandom(place).next() * (SIZE / BLOCK));
    this.#first = block * BLOCK + 1;
  }

  take(): string {
    const offset = this.#free.pop() ?? this.#taken++;
    if (offset >= SIZE) throw new RangeError('all 4,194,304 pod addresses of 127.64.0.0/10 are taken');
    const index = (this.#first + offset) % SIZE;
    // Joined, because a template keeps its parts, as long as the pod lives.
    return [127, 64 + (index >> 16), (index >> 8) & 255, index & 255].join('.');
  }

  /** Whether a pod has it at present. */
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
