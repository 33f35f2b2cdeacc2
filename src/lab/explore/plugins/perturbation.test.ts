import { expect, test } from 'vitest';
import { schedulesOf } from './explore-plugin.js';
import { areApart, type PerturbationKind, perturbationText } from './perturbation.js';

const one = (kind: PerturbationKind, at: number, count = 0) => ({ kind, at, for: count });

test('nothing happens to a plugin before it is started', () => {
  expect(areApart(one('restart', 2), one('late', 5))).toBe(false);
  expect(areApart(one('late', 5), one('restart', 2, 1))).toBe(false);
  expect(areApart(one('late', 2), one('restart', 5))).toBe(true);
  expect(areApart(one('late', 2), one('late', 5))).toBe(false);
});

test('the second of two comes when the plugin is back from the first', () => {
  expect(areApart(one('gone', 2, 3), one('restart', 5))).toBe(false);
  expect(areApart(one('restart', 6), one('gone', 2, 3))).toBe(true);
});

const life = ['run web', 'create web/app', 'start web/app'].map((name) => ({
  ...{ name, method: '' },
  run: async () => {},
}));

test.each([
  [one('gone', 1, 1), 'before "create web/app": the plugin is killed, and restarted only after 1 operation'],
  [
    one('restart', 0, 3),
    'before "run web": the runtime is restarted, and accepts plugins again only after 3 operations',
  ],
])('the text of a perturbation counts its operations', (perturbation, text) => {
  expect(perturbationText(perturbation, life)).toBe(text);
});

test('every schedule is tried once, and the search ends', () => {
  const singles = [one('twice', 0), one('gone', 1), one('twice', 2)];
  const schedules: string[] = [];
  for (const schedule of schedulesOf(singles, { depth: 2, seed: '1' })) {
    schedules.push(JSON.stringify(schedule));
    if (schedules.length > 100) break;
  }
  expect(schedules).toHaveLength(new Set(schedules).size);
  // The three, and each of them with another one.
  expect(schedules).toHaveLength(6);
});
