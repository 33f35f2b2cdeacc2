import type { Release } from './release.js';

/** Real time at one instant after which a virtual clock gives up, in ms. A debugger's pause counts as one look. */
const LOOK = 30_000;
const MOST_LOOKS = 2;
/** A clock that moves less than this from one look to the next stands still: reading it takes 1 ns. */
const MOVED = 1_000_000n;

/**
 * Calls `giveUp` when `instant` has moved by less than 1 ms twice in 30 s of real time. What is active then continues without
 * time, or waits for something that the clock does not know of; without this the process would hang, or end without a word.
 */
export function watchForStandstill(instant: () => bigint, giveUp: () => void): Release {
  let seen = instant();
  let looks = 0;
  const timer = setInterval(() => {
    const now = instant();
    looks = now - seen < MOVED ? looks + 1 : 0;
    seen = now;
    if (looks >= MOST_LOOKS) giveUp();
  }, LOOK);
  return () => clearInterval(timer);
}
