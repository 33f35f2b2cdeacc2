import { expect, test } from 'vitest';
import { missed } from './goals.js';
import type { Row } from './table.js';

const row = (more: Partial<Row>): Row => ({
  name: 'x',
  kind: 'incident',
  viewing: 'ages',
  isHidden: false,
  place: 1,
  answers: [],
  runs: 1,
  seconds: 1,
  apart: { pairs: 0, differ: 0, silent: 0 },
  ...more,
});
const some = (count: number, more: Partial<Row> = {}) => Array.from({ length: count }, () => row(more));

test('answers that meet the goals miss none', () => {
  expect(missed([...some(12), ...some(5, { place: 3 }), ...some(3, { place: 0 })])).toEqual([]);
});

test.each([
  ['the true cause is first: 55 %, less than 60 %', [...some(11), ...some(9, { place: 2 })]],
  ['the true cause is among three: 80 %, less than 85 %', [...some(16), ...some(4, { place: 4 })]],
  [
    'no fault is needed: 90 %, less than 95 %',
    [...some(9, { kind: 'no fault' }), row({ kind: 'no fault', place: 0 })],
  ],
  ['told apart: 70 %, less than 80 %', [row({ apart: { pairs: 10, differ: 7, silent: 0 } })]],
  ['x, ages: 121 s, more than 120 s', [row({ seconds: 121 })]],
])('a missed goal is named: %s', (problem, rows) => {
  expect(missed(rows)).toEqual([problem]);
});
