import { invalid } from '../../../cri/errors.js';

/** The longest wait in ms; safe to add to a clock. */
const LONGEST = 365 * 24 * 3_600_000;

/** Converts the timeout of a request to ms. Throws `invalid` for a negative value, unless `negative` makes it 0. */
export function secondsToMillis(seconds: bigint, negative = false): number {
  if (seconds < 0n && negative) return 0;
  if (seconds < 0n) throw invalid(`timeout is ${seconds} s, it must not be negative`);
  return Math.min(Number(seconds) * 1000, LONGEST);
}
