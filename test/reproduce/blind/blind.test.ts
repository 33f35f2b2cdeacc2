import { expect, test, vi } from 'vitest';
import { ofAll, sampleOf } from '../../support/thorough.js';
import { apartAgain } from './apart-again.js';
import { ask } from './ask.js';
import { caseOf, makers } from './cases.js';
import type { Viewing } from './texts.js';

vi.setConfig({ testTimeout: 600_000 });

/** Quick ones. All are asked by measure.ts, which makes the table in docs/results/reproduce.md. */
const certain: readonly { readonly name: string; readonly viewing: Viewing; readonly runs: number }[] = [
  { name: 'start-hangs', viewing: 'each second', runs: 300 },
  { name: 'oom-loop', viewing: '20 % lost', runs: 300 },
  { name: 'ignores-sigterm', viewing: 'ages', runs: 300 },
];

test.each(certain)('the cause of $name is first ($viewing)', async ({ name, viewing, runs }) => {
  const { place, result } = await ask(await caseOf(name), viewing, runs);
  expect([place, result.causes[0]?.verdict]).toEqual([1, 'fits']);
  const { pairs, differ } = await apartAgain(result);
  expect(differ).toBeGreaterThanOrEqual(0.8 * pairs);
});

test('no fault is one answer, whatever the kubelet', async () => {
  const { result } = await ask(await caseOf('evented-events-duplicated'), 'each second', 300);
  expect(result.causes.map(({ key }) => key)).toEqual(['']);
});

const incidents = makers.filter(({ kind }) => kind === 'incident');
const some = sampleOf(incidents, 0);

test.runIf(some.length > 0)(
  `the true cause is among the first three (${ofAll(some.length, incidents.length, 'incidents')})`,
  async () => {
    let found = 0;
    for (const { make } of some) {
      const { place } = await ask(await make(), 'each second', 300);
      if (place > 0 && place <= 3) found += 1;
    }
    expect(found).toBeGreaterThanOrEqual(0.85 * some.length);
  },
);
