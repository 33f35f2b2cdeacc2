/**
 * How much the tests try: a sample with `npm test`, everything with `npm run test:all`. Every slow kind of check takes
 * its seeds and cases from here, in the test file itself (tiers.ts finds it by the import), so that both runs include a
 * part of each. Its title shows the share that runs.
 */
import { tier } from './tiers.js';

/** Whether every seed and case runs. */
export const isThorough = tier === 'all' || tier === 'hostile';

/** Number of seeds, runs or inputs: `all` in a thorough run, otherwise `few`. */
export const countOf = (all: number, few: number): number => (isThorough ? all : Math.min(few, all));

/** All cases in a thorough run; otherwise `few`, evenly spread over the list, the same each time. */
export function sampleOf<T>(all: readonly T[], few: number): readonly T[] {
  const count = countOf(all.length, few);
  return Array.from({ length: count }, (_, index) => all[Math.floor((index * all.length) / count)] as T);
}

/** For a test's title: `4 of 20 seeds`, or `all 20 seeds`. */
export const ofAll = (count: number, all: number, what: string): string =>
  count === all ? `all ${all} ${what}` : `${count} of ${all} ${what}`;
