import { readFileSync } from 'node:fs';
import { createRealClock } from '../../../src/base/clock/real-clock.js';
import { createRandom, type Random } from '../../../src/base/random/random.js';
import type { Victim } from '../kit.js';

/** One way into the server, and its attack. */
export interface Surface {
  readonly name: string;
  /** Prepares the attack, for example with a container. */
  open(victim: Victim, random: Dice): Promise<Attack>;
}

export interface Attack {
  /** Tries a batch of inputs; resolves with their number. Rejects for a forbidden reply. */
  batch(): Promise<number>;
  close(): Promise<void> | void;
}

/** Random choices from a seed. */
export class Dice {
  readonly #random: Random;

  constructor(seed: string | number) {
    this.#random = createRandom(seed);
  }

  /** An integer from 0, less than `limit`. */
  below(limit: number): number {
    return Math.floor(this.#random.next() * limit);
  }

  of<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)] as T;
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.below(256)));
  }

  /** A copy with some bytes changed, removed, repeated or cut off. */
  mutate(bytes: Buffer): Buffer {
    let result = Buffer.from(bytes);
    for (let changes = 1 + this.below(4); changes > 0 && result.length > 0; changes--) {
      const at = this.below(result.length);
      const rest = result.subarray(at);
      switch (this.below(5)) {
        case 0:
          result[at] = this.below(256);
          break;
        case 1:
          result = Buffer.concat([result.subarray(0, at), rest.subarray(1 + this.below(8))]);
          break;
        case 2:
          result = Buffer.concat([result.subarray(0, at), this.bytes(1 + this.below(8)), rest]);
          break;
        case 3:
          result = Buffer.concat([result, rest]);
          break;
        default:
          result = result.subarray(0, at);
      }
    }
    return result;
  }
}

const clock = createRealClock();

/** A promise, or undefined when it takes longer than `most` ms of real time. */
export async function within<T>(most: number, work: Promise<T>): Promise<T | undefined> {
  const over = new AbortController();
  const late = clock.sleep(most, over.signal).then(
    () => undefined,
    () => undefined,
  );
  try {
    return await Promise.race([work, late]);
  } finally {
    over.abort();
  }
}

/** In ms, between two looks at a batch. */
const LOOK = 1000;

/** How long the main thread of a process has waited for a processor, in ms (proc(5), schedstat). */
function waitedOf(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}

/**
 * A promise, or undefined when it takes longer than `most` ms, without the time in which one of these processes waited
 * for a processor: on a busy machine a server is slow, and does not hang.
 */
export async function unlessHung<T>(
  most: number,
  work: Promise<T>,
  pids: readonly number[],
): Promise<T | undefined> {
  const spent = () => clock.elapsed() - pids.reduce((sum, pid) => sum + waitedOf(pid), 0);
  const over = new AbortController();
  const began = spent();
  const late = async () => {
    while (!over.signal.aborted && spent() - began < most)
      await clock.sleep(LOOK, over.signal).catch(() => {});
  };
  try {
    return await Promise.race([work, late().then(() => undefined)]);
  } finally {
    over.abort();
  }
}
