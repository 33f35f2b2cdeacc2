/**
 * How much the tests try: everything under `npm run test:all`, a sample under `npm test`. Every slow kind of check
 * takes its seeds and cases from here, so that each keeps a part in both, and its title says how many of how many run.
 */
/** Whether every seed and case runs. */
export const isThorough = process.env.MOCKRI_TEST_ALL === '1';

/** How many of `all` seeds, runs or inputs to try: all of them in a thorough run, otherwise `few`. */
export const countOf = (all: number, few: number): number => (isThorough ? all : Math.min(few, all));

/** All cases in a thorough run; otherwise `few`, evenly spread over the list and the same each time. */
export function sampleOf<T>(all: readonly T[], few: number): readonly T[] {
  const count = countOf(all.length, few);
  return Array.from({ length: count }, (_, index) => all[Math.floor((index * all.length) / count)] as T);
}

/** For a test's title: `4 of 20 seeds`, or `all 20 seeds`. */
export const ofAll = (count: number, all: number, what: string): string =>
  count === all ? `all ${all} ${what}` : `${count} of ${all} ${what}`;
