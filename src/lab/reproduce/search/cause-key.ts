import type { Schedule } from '../../explore/catalog/perturbation.js';

const EXTENT =
  / (?:for (?:a time|(?:\d+h)?(?:\d+m)?(?:[\d.]+m?s)?)|from then on|once|five times|(?<=before )\d+ times|by -?\w+ for \w+)(?=[ ,]|$)/g;

/** Kind of a perturbation without its duration: `error before ListContainers`. */
export const causeOf = (kind: string): string =>
  kind
    .replace(/^(delay|slow) \S+ /, '$1 ')
    .replace(/^lists take \S+/, 'lists hang')
    .replace(
      /^clock skewed by (-?)\w+ for \w+/,
      (_, sign) => `clock ${sign === '-' ? 'goes back' : 'goes forward'}`,
    )
    .replace(EXTENT, '');

/** Equal for schedules with the same kinds of perturbations, regardless of time and duration. */
export const causeKey = (schedule: Schedule): string =>
  [...new Set(schedule.map(({ kind }) => causeOf(kind)))].sort().join(' and ');
