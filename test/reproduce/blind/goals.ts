import type { Row } from './table.js';

/** Required fractions of good answers, from 0 to 1. */
export const goals = { first: 0.6, amongThree: 0.85, noFault: 0.95, apart: 0.8 } as const;
/** Processor time of a question, in seconds: a minute on two cores. */
export const MOST_SECONDS = 120;

/** The goals that the answers miss. */
export function missed(rows: readonly Row[]): string[] {
  const plain = rows.filter(({ kind, isHidden }) => kind === 'no fault' || isHidden);
  const asked = rows.filter((row) => !plain.includes(row));
  const pairs = rows.reduce((sum, { apart }) => sum + apart.pairs, 0);
  const differ = rows.reduce((sum, { apart }) => sum + apart.differ, 0);
  const rate = (of: readonly Row[], is: (row: Row) => boolean) =>
    of.length === 0 ? 1 : of.filter(is).length / of.length;
  return [
    below(
      'the true cause is first',
      rate(asked, ({ place }) => place === 1),
      goals.first,
    ),
    below(
      'the true cause is among three',
      rate(asked, ({ place }) => place > 0 && place <= 3),
      goals.amongThree,
    ),
    below(
      'no fault is needed',
      rate(plain, ({ place }) => place === 1),
      goals.noFault,
    ),
    below('told apart', pairs === 0 ? 1 : differ / pairs, goals.apart),
    rows
      .filter(({ seconds }) => seconds > MOST_SECONDS)
      .map(({ name, viewing, seconds }) => `${name}, ${viewing}: ${seconds} s, more than ${MOST_SECONDS} s`),
  ].flat();
}

const below = (what: string, rate: number, goal: number): string[] =>
  rate >= goal ? [] : [`${what}: ${percent(rate)}, less than ${percent(goal)}`];

const percent = (rate: number): string => `${Math.round(100 * rate)} %`;
