import { expect, test } from 'vitest';
import type { Perturbation } from '../../explore/catalog/perturbation.js';
import { joinSeen } from '../join-seen.js';
import { readLines } from '../read/read-lines.js';
import type { Tried } from './evaluate.js';
import { search } from './search.js';
import type { Result } from './trials.js';

const fault: Perturbation = {
  ...{ id: 'lists hang', kind: 'lists hang', family: 'delay', text: 'lists hang', pod: '' },
  ...{ at: 0, until: 0, rules: [], steps: [] },
};

/** How many runs with a fault are tried when the run without one comes to this. */
async function triedAfter(plain: Pick<Tried, 'score' | 'deviation' | 'unexplained'>): Promise<number> {
  let count = 0;
  await search({
    bases: 1,
    nodes: [{ version: '1.37', runtime: 'strict' }],
    seen: joinSeen([readLines('web 1/1 Running 0 12s', 'saw.txt').seen], new Map([['web', 0]])),
    seed: '1',
    depth: 1,
    run: async (runs) => {
      count += runs.filter(({ schedule }) => schedule.length > 0).length;
      return runs.map((planned): Result => ({ ...plain, way: '', effect: null, next: [fault], planned }));
    },
    used: () => 0,
  });
  return count;
}

test('a run without faults that fits and leaves nothing to explain ends the search', async () => {
  expect(await triedAfter({ score: 0.99, deviation: 7, unexplained: ['a row'] })).toBe(0);
  expect(await triedAfter({ score: 0.96, deviation: null, unexplained: [] })).toBe(0);
  expect(await triedAfter({ score: 0.96, deviation: 7, unexplained: [] })).toBeGreaterThan(0);
  expect(await triedAfter({ score: 0.96, deviation: null, unexplained: ['a row'] })).toBeGreaterThan(0);
  expect(await triedAfter({ score: 0.94, deviation: null, unexplained: [] })).toBeGreaterThan(0);
});
