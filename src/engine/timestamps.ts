import type { Clock } from '../clock/clock.js';

/** Hands out Unix nanoseconds from the clock, each greater than the one before (INV-31). */
export interface Timestamps {
  next(): bigint;
  /** Like `next`, for something known to have happened at `time`: never before what was handed out already. */
  at(time: bigint): bigint;
}

export function createTimestamps(clock: Clock): Timestamps {
  let last = 0n;
  const at = (time: bigint) => {
    last = time > last ? time : last + 1n;
    return last;
  };
  return { at, next: () => at(clock.now()) };
}
