import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { observe } from '../../src/explore/observe.js';
import { type Difference, differences } from '../../src/reproduce/apart.js';
import type { Cause } from '../../src/reproduce/cause.js';
import { ofAll, sampleOf } from '../support/thorough.js';
import { type Answered, ask, blindNames, caseOf, type Viewing, viewings } from './blind.js';

const page = 'docs/results/reproduce.md';
/** `BLIND_TABLE=1` asks about all of them, or those in `NAMES`, and writes the rows of the table. */
const updates = process.env.BLIND_TABLE === '1';
/** Runs of one search: on two free cores, less than a minute. */
const BUDGET = 300;

const all = blindNames.flatMap((name) => viewings.map((viewing) => ({ name, viewing })));
const chosen = process.env.NAMES?.split(',');
const some = chosen
  ? all.filter(({ name, viewing }) => chosen.includes(name) && viewing === viewings[0])
  : sampleOf(all, 0);

/** Quick ones, whose cause must be first. */
const certain: readonly { readonly name: string; readonly viewing: Viewing }[] = [
  { name: 'start-hangs', viewing: 'each second' },
  { name: 'oom-loop', viewing: '20 % lost' },
  { name: 'ignores-sigterm', viewing: 'ages' },
];

test.each(certain)('the cause of $name is first ($viewing)', async ({ name, viewing }) => {
  const { place, result } = await ask(await caseOf(name), viewing, 0, { schedules: BUDGET });
  expect([place, result.causes[0]?.verdict]).toEqual([1, 'fits']);
});

test(`${ofAll(some.length, all.length, 'blind questions')}: what tells causes apart does so with another seed`, async () => {
  let apart = 0;
  let tried = 0;
  for (const { name, viewing } of some) {
    const answer = await ask(await caseOf(name), viewing, 0, { schedules: BUDGET });
    const differ = await Promise.all(
      answer.result.apart.map((each) => differsAgain(answer.result.causes, each)),
    );
    tried += differ.length;
    apart += differ.filter((each) => each).length;
    if (updates) writeFileSync(page, withRow(readFileSync(page, 'utf8'), rowOf(answer, differ)));
  }
  expect(apart).toBeGreaterThanOrEqual(0.8 * tried);
});

/** Whether the command shows different things when the two causes are simulated with another seed. */
async function differsAgain(causes: readonly Cause[], { between, command }: Difference): Promise<boolean> {
  const runs = await Promise.all(
    between.map(async (number) => {
      const { scenario } = causes[number - 1] as Cause;
      return (await observe({ ...scenario, seed: 'another' })).run;
    }),
  );
  const [left, right] = runs;
  return (
    left !== undefined &&
    right !== undefined &&
    differences(left, right).some((each) => each.command === command)
  );
}

const rowOf = ({ name, viewing, place, first, fit, runs }: Answered, differ: readonly boolean[]): string =>
  `| \`${name}\` | ${viewing} | ${place === 0 ? 'not among them' : place} | ${first || 'no fault'} | ${fit.toFixed(2)} | ${runs} | ${differ.length === 0 ? '' : `${differ.filter((each) => each).length} of ${differ.length}`} |`;

/** The page with this row instead of that of the same question. */
function withRow(text: string, row: string): string {
  const key = row
    .split('|')
    .slice(1, 3)
    .map((cell) => cell.trim());
  const isSame = (line: string) =>
    line.startsWith('| `') &&
    line
      .split('|')
      .slice(1, 3)
      .map((cell) => cell.trim())
      .join() === key.join();
  const lines = text.split('\n').filter((line) => !isSame(line));
  const end = lines.indexOf('## Real texts');
  const last = lines.slice(0, end).findLastIndex((line) => line.startsWith('|'));
  return [...lines.slice(0, last + 1), row, ...lines.slice(last + 1)].join('\n');
}
