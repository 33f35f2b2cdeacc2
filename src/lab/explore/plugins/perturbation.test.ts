import { expect, test } from 'vitest';
import { areApart, type PerturbationKind } from './perturbation.js';

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
