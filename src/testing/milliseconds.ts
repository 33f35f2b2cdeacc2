import { parseDuration } from '../input/duration.js';

/** A duration such as `10m`, or ms, in ms. Throws for any other text. */
export function milliseconds(duration: string | number): number {
  const parsed = typeof duration === 'number' ? duration : parseDuration(duration);
  if (parsed !== undefined) return parsed;
  throw new Error(`expected a duration such as "10m", or milliseconds; given ${JSON.stringify(duration)}`);
}
