import { type Clock, millisToNanos } from '../../../base/clock/clock.js';

/**
 * Issues times of the clock in Unix nanoseconds, each greater than the previous one (INV-31), unless a skew moves it
 * back.
 */
export interface Timestamps {
  /** Returns the present time, or one nanosecond after the previous one if no time has passed. */
  next(): bigint;
  skewed(time: bigint): bigint;
  /** Shifts all further times, in ms; negative for back. A fault: times increase again after the jump. */
  skew(by: number): void;
}

export function createTimestamps(clock: Clock): Timestamps {
  let last = 0n;
  let offset = 0n;
  const skewed = (time: bigint) => time + offset;
  return {
    skewed,
    next: () => {
      const time = skewed(clock.now());
      last = time > last ? time : last + 1n;
      return last;
    },
    skew: (by) => {
      offset += millisToNanos(by);
      last = 0n;
    },
  };
}
