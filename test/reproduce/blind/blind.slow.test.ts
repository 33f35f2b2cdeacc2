import { expect, test, vi } from 'vitest';
import { apartAgain } from './apart-again.js';
import { ask } from './ask.js';
import { caseOf } from './cases.js';
import type { Viewing } from './texts.js';

vi.setConfig({ testTimeout: 600_000 });

/** Quick ones, with fewer runs. All are asked by measure.ts, which makes the table in docs/results/reproduce.md. */
const FEW = 120;

const certain: readonly { readonly name: string; readonly viewing: Viewing }[] = [
  { name: 'start-hangs', viewing: 'each second' },
  { name: 'oom-loop', viewing: '20 % lost' },
  { name: 'ignores-sigterm', viewing: 'ages' },
];

test.each(certain)('the cause of $name is first ($viewing)', async ({ name, viewing }) => {
  const { place, result } = await ask(await caseOf(name), viewing, FEW);
  expect([place, result.causes[0]?.verdict]).toEqual([1, 'fits']);
  const { pairs, differ } = await apartAgain(result);
  expect(differ).toBeGreaterThanOrEqual(0.8 * pairs);
});

test('no fault gives the same answer with every kubelet', async () => {
  const { result } = await ask(await caseOf('evented-events-duplicated'), 'each second', FEW);
  expect(result.causes.map(({ key }) => key)).toEqual(['']);
});
