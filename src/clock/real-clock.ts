import type { Clock, Release, Timer } from './clock.js';

const nothing: Release = () => {};

/** Longest delay that a Node timer takes; a longer one is waited for in pieces. */
const LONGEST_DELAY = 2 ** 31 - 1;

/** The machine's clock. Activity is not tracked: real time does not wait for anybody. */
export function createRealClock(): Clock {
  const origin = process.hrtime.bigint();
  const epoch = BigInt(Date.now()) * 1_000_000n - origin;
  return {
    kind: 'real',
    now: () => epoch + process.hrtime.bigint(),
    elapsed: () => Number(process.hrtime.bigint() - origin) / 1e6,
    setTimer,
    sleep,
    run: (task) => task(),
    hold: () => nothing,
    idle: (wait) => wait,
  };
}

function setTimer(delay: number, callback: () => void | Promise<void>): Timer {
  let handle: NodeJS.Timeout;
  const arm = (left: number) => {
    const piece = Math.min(left, LONGEST_DELAY);
    handle = setTimeout(() => (left > piece ? arm(left - piece) : void callback()), piece);
  };
  arm(Math.max(0, delay));
  return { cancel: () => clearTimeout(handle) };
}

function sleep(delay: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = setTimer(delay, () => {
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
