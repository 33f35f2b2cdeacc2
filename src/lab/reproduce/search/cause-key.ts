import type { Schedule } from '../../explore/catalog/perturbation.js';

/** How long and how often something happens. */
const EXTENT =
  / (?:for (?:a time|(?:\d+h)?(?:\d+m)?(?:[\d.]+m?s)?)|from then on|once|five times|(?<=before )\d+ times|by -?\w+ for \w+)(?=[ ,]|$)/g;

/** What a perturbation is, however long it lasts: `error before ListContainers`. */
export const causeOf = (kind: string): string =>
  kind
    .replace(/^(delay|slow) \S+ /, '$1 ')
    .replace(/^lists take \S+/, 'lists hang')
    .replace(
      /^clock skewed by (-?)\w+ for \w+/,
      (_, sign) => `clock ${sign === '-' ? 'goes back' : 'goes forward'}`,
    )
    .replace(EXTENT, '');

/** Equal for schedules that are the same cause: perturbations of the same kinds, at whatever time and for however long. */
export const causeKey = (schedule: Schedule): string =>
  [...new Set(schedule.map(({ kind }) => causeOf(kind)))].sort().join(' and ');
