import type { Clock } from './clock.js';

/**
 * Lets what else happens in this instant of a virtual clock come first. A reply of another process takes longer than that on
 * a real machine, even if it takes no time on the clock. A real clock needs no wait.
 */
export async function restOfInstant(clock: Clock): Promise<void> {
  if (clock.kind === 'virtual') await clock.sleep(0);
}
