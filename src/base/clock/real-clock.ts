import type { Abortable, Clock, Timer } from './clock.js';
import { createLoopback } from './network/loopback.js';
import type { Release } from './release.js';

const nothing: Release = () => {};

/** Longest delay of a Node timer; longer ones are split. */
const LONGEST_DELAY = 2 ** 31 - 1;

/** The machine's clock. It does not track activity, because real time does not wait. */
export function createRealClock(): Clock {
  const origin = process.hrtime.bigint();
  const epoch = BigInt(Date.now()) * 1_000_000n - origin;
  return {
    kind: 'real',
    loopback: createLoopback(),
    now: () => epoch + process.hrtime.bigint(),
    elapsed: () => Number(process.hrtime.bigint() - origin) / 1e6,
    setTimer: (delay, callback) => new RealTimer(Math.max(0, delay), callback),
    sleep,
    run: (task) => task(),
    hold: () => nothing,
    idle: (wait) => wait,
  };
}

class RealTimer implements Timer {
  readonly #callback: () => void | Promise<void>;
  #left: number;
  #handle: NodeJS.Timeout | undefined;

  constructor(delay: number, callback: () => void | Promise<void>) {
    this.#callback = callback;
    this.#left = delay;
    this.#arm();
  }

  cancel(): void {
    clearTimeout(this.#handle);
  }

  #arm(): void {
    const piece = Math.min(this.#left, LONGEST_DELAY);
    this.#left -= piece;
    this.#handle = setTimeout(() => this.#fire(), piece);
  }

  #fire(): void {
    if (this.#left > 0) this.#arm();
    else void this.#callback();
  }
}

function sleep(delay: number, signal?: Abortable): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = new RealTimer(Math.max(0, delay), () => {
      signal?.removeEventListener('abort', abort);
      resolve();
    });
    const abort = () => {
      timer.cancel();
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', abort, { once: true });
  });
}
