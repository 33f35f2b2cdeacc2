import type { Clock } from './clock.js';

/**
 * Lets what else happens in this instant of a virtual clock come first. A reply of another process takes longer than that on
 * a real machine, even if it takes no time on the clock. A real clock needs no wait. `turns`: how many replies one after the
 * other come first.
 */
export async function restOfInstant(clock: Clock, turns = 1): Promise<void> {
  if (clock.kind === 'virtual') for (let turn = 0; turn < turns; turn++) await clock.sleep(0);
}

/** Lets none, some or all of what else happens in this instant of a virtual clock come first, as goroutines happen to run. */
export async function someOfInstant(clock: Clock, random: { next(): number }): Promise<void> {
  while (random.next() < 0.5) await restOfInstant(clock);
}
