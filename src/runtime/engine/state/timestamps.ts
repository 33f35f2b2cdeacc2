import { type Clock, millisToNanos } from '../../../base/clock/clock.js';

/** Hands out Unix nanoseconds from the clock, each greater than the one before (INV-31), unless a skew turns back. */
export interface Timestamps {
  /** Now; a nanosecond after the last one where no time has passed since. */
  next(): bigint;
  /** A time that the backend took from the clock, as the skewed runtime shows it. */
  skewed(time: bigint): bigint;
  /** Shifts all times from here on, in ms; negative for back. A fault: order holds again after the jump. */
  skew(by: number): void;
}

/** Makes the source of the timestamps of a runtime. */
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
