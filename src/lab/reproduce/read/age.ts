import type { Span } from '../facts.js';

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, y: 31_536_000 };

/** Matches `12s`, `3m20s`, `5d7h`. */
export const AGE = '(?:\\d+[ydhms]){1,2}';

/** Below these limits in seconds, an age also has the smaller unit unless it is 0. */
const EXACT: readonly { readonly below: number; readonly unit: number }[] = [
  { below: 600, unit: 1 },
  { below: 8 * 3600, unit: 60 },
  { below: 8 * 86_400, unit: 3600 },
  { below: 8 * 31_536_000, unit: 86_400 },
];

/** Seconds that kubectl's age can mean (util/duration HumanDuration); undefined for other text. */
export function parseAge(text: string): Span | undefined {
  if (!new RegExp(`^${AGE}$`).test(text)) return undefined;
  let seconds = 0;
  for (const [, amount, unit = ''] of text.matchAll(/(\d+)([ydhms])/g))
    seconds += Number(amount) * (UNITS[unit] ?? 0);
  const unit = EXACT.find(({ below }) => seconds < below)?.unit ?? 31_536_000;
  return { from: seconds, to: seconds + unit };
}
