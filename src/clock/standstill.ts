import type { Release } from './release.js';

/** Real time without any change after which a virtual clock gives up, in ms. A debugger's pause counts as one look. */
const LOOK = 30_000;
const MOST_LOOKS = 2;

/**
 * Calls `giveUp` when `changes` has returned the same number for a minute of real time. What is active then waits for
 * something that the clock does not know of, and without this the process would hang, or end without a word.
 */
export function watchForStandstill(changes: () => number, giveUp: () => void): Release {
  let seen = changes();
  let looks = 0;
  const timer = setInterval(() => {
    const now = changes();
    looks = now === seen ? looks + 1 : 0;
    seen = now;
    if (looks === MOST_LOOKS) giveUp();
  }, LOOK);
  return () => clearInterval(timer);
}
