import { parseDuration } from '../base/input/duration.js';

/** Converts a duration such as `10m`, or ms, to ms. Throws for other texts and negative values. */
export function milliseconds(duration: string | number): number {
  const parsed = typeof duration === 'number' ? duration : parseDuration(duration);
  if (parsed !== undefined && parsed >= 0) return parsed;
  const given = typeof duration === 'number' ? duration : JSON.stringify(duration);
  throw new Error(`expected a duration such as "10m", or milliseconds, not negative; given ${given}`);
}
