import { expect, test } from 'vitest';
import type { PlannedRun } from './evaluate.js';
import { plan, type Result, ROUND, runId } from './trials.js';
import { type Step, takeTurns } from './turns.js';

const named = (name: string): PlannedRun => plan({ base: 0, version: name, runtime: 'strict' }, []);

/** A step with so many runs. */
function stepOf(name: string, share: number, count: number, tried: readonly PlannedRun[]): Step {
  const all = Array.from({ length: count }, (_, index) => named(`${name}${index}`));
  return { share, next: () => all.filter((each) => !tried.includes(each)) };
}

/** What is tried with this budget, by name. */
async function triedWith(budget: number, ...steps: readonly [string, number, number][]): Promise<string[]> {
  const tried: PlannedRun[] = [];
  const tryAll = async (runs: readonly PlannedRun[]) => {
    tried.push(...runs);
    return [] as Result[];
  };
  const made = steps.map(([name, share, count]) => stepOf(name, share, count, tried));
  await takeTurns(made, { tryAll, used: () => tried.length / budget }, () => true);
  return tried.map(({ version }) => version);
}

test('a larger budget begins with all that a smaller one has tried, in the same order', async () => {
  const steps: [string, number, number][] = [
    ['a', 0.6, 500],
    ['b', 0.3, 500],
    ['c', 0.1, 500],
  ];
  const all = await triedWith(640, ...steps);
  for (const budget of [16, 48, 160, 320]) {
    const some = await triedWith(budget, ...steps);
    expect(some).toEqual(all.slice(0, some.length));
  }
  for (const [name, share] of steps) {
    const count = all.filter((each) => each.startsWith(name)).length;
    expect(Math.abs(count - share * all.length)).toBeLessThanOrEqual(2 * ROUND);
  }
});

test('a step that is over leaves its turns to the others, and each run is made once', async () => {
  const all = await triedWith(1000, ['a', 0.9, 20], ['b', 0.1, 100]);
  expect(all).toHaveLength(120);
  expect(new Set(all).size).toBe(120);
});

test('a run is equal to one on the same node with the same schedule', () => {
  expect(runId(named('1.36'))).toBe(runId(named('1.36')));
  expect(runId(named('1.36'))).not.toBe(runId(plan({ base: 0, version: '1.36', runtime: 'cri-o-1.36' }, [])));
});
