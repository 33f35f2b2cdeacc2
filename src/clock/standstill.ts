import type { Release } from './release.js';

/** Real time at one instant after which a virtual clock gives up, in ms. A debugger's pause counts as one look. */
const LOOK = 30_000;
const MOST_LOOKS = 2;

/**
 * Calls `giveUp` when `instant` has returned the same for a minute of real time. What is active then continues without
 * time, or waits for something that the clock does not know of; without this the process would hang, or end without a word.
 */
export function watchForStandstill(instant: () => bigint, giveUp: () => void): Release {
  let seen = instant();
  let looks = 0;
  const timer = setInterval(() => {
    const now = instant();
    looks = now === seen ? looks + 1 : 0;
    seen = now;
    if (looks >= MOST_LOOKS) giveUp();
  }, LOOK);
  return () => clearInterval(timer);
}
