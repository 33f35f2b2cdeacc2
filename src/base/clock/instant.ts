import type { Clock } from './clock.js';

/**
 * Lets everything else in this instant of a virtual clock happen first: on a real machine another process's reply takes
 * longer than that, even if it takes no time on the clock. A real clock needs no wait. `turns`: number of successive
 * replies that come first.
 */
export async function restOfInstant(clock: Clock, turns = 1): Promise<void> {
  if (clock.kind === 'virtual') for (let turn = 0; turn < turns; turn++) await clock.sleep(0);
}

/**
 * Lets none, some or all other events in this instant of a virtual clock come first, in random order like goroutines.
 */
export async function someOfInstant(clock: Clock, random: { next(): number }): Promise<void> {
  while (random.next() < 0.5) await restOfInstant(clock);
}
