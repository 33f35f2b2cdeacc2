import { expect, test } from 'vitest';
import { type DiffReport, showReport } from './report.js';

const report: DiffReport = {
  runtimes: ['a', 'b'],
  image: 'busybox',
  seed: 1,
  sequences: 3,
  wanted: 3,
  seconds: 1,
  kinds: [],
  known: [
    { why: 'once', count: 1 },
    { why: 'twice', count: 2 },
  ],
  unsteady: 0,
  leftovers: [],
};

test('counts in words that fit the number', () => {
  expect([...showReport(report)].slice(0, 2)).toEqual(['known (1 time): once', 'known (2 times): twice']);
});
