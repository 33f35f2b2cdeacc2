import { expect, test } from 'vitest';
import type { Perturbation } from '../catalog/perturbation.js';
import { createWaiting } from './search.js';

const one = (kind: string, id: string): Perturbation => ({
  id,
  kind,
  family: '',
  text: id,
  pod: '',
  at: 0,
  until: 0,
  rules: [],
  steps: [],
});
const ids = (schedules: readonly (readonly Perturbation[])[]) => schedules.map(([first]) => first?.id);

test('the first of each kind comes before the second of any', () => {
  const waiting = createWaiting();
  for (const id of ['a1', 'a2', 'b1', 'a3', 'c1']) waiting.add([one(id.slice(0, 1), id)]);
  expect(ids(waiting.take(4))).toEqual(['a1', 'b1', 'c1', 'a2']);
  waiting.add([one('d', 'd1')]);
  expect(ids(waiting.take(9))).toEqual(['d1', 'a3']);
});

test('what was saved is continued in the same order', () => {
  const waiting = createWaiting();
  for (const id of ['a1', 'a2', 'b1']) waiting.add([one(id.slice(0, 1), id)]);
  waiting.take(1);
  const again = createWaiting(JSON.parse(JSON.stringify(waiting.save())));
  for (const each of [waiting, again]) each.add([one('a', 'a3')]);
  expect(ids(again.take(9))).toEqual(ids(waiting.take(9)));
});

test('only so many are kept, but always the first of each kind', () => {
  const waiting = createWaiting();
  const added = Array.from({ length: 6000 }, (_, index) => waiting.add([one('a', `a${index}`)]));
  expect(added.filter((isKept) => isKept)).toHaveLength(5000);
  expect(waiting.add([one('b', 'b')])).toBe(true);
});
