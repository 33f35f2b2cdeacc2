import type { Span } from '../seen.js';

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, y: 31_536_000 };

/** What an age looks like: `12s`, `3m20s`, `5d7h`. */
export const AGE = '(?:\\d+[ydhms]){1,2}';

/** Below these many seconds, an age has the smaller unit too, and leaves it out only when it is 0. */
const EXACT: readonly { readonly below: number; readonly unit: number }[] = [
  { below: 600, unit: 1 },
  { below: 8 * 3600, unit: 60 },
  { below: 8 * 86_400, unit: 3600 },
  { below: 8 * 31_536_000, unit: 86_400 },
];

/** The seconds that an age of kubectl may mean (apimachinery util/duration HumanDuration); undefined for other text. */
export function parseAge(text: string): Span | undefined {
  if (!new RegExp(`^${AGE}$`).test(text)) return undefined;
  let seconds = 0;
  for (const [, amount, unit = ''] of text.matchAll(/(\d+)([ydhms])/g))
    seconds += Number(amount) * (UNITS[unit] ?? 0);
  const unit = EXACT.find(({ below }) => seconds < below)?.unit ?? 31_536_000;
  // `2d` from 48 hours on has its hours; below it has hours alone.
  return { from: seconds, to: seconds + unit };
}
