import { expect, test } from 'vitest';
import type { Reproduction } from '../reproduce.js';
import { reportText } from './text.js';

test.each([
  [true, true, '500 runs; the budget is used up (--budget)'],
  [true, false, '500 runs, interrupted'],
  [false, true, '500 runs; every candidate was tried'],
])('cut %s, finished %s: %s', (isCut, finished, last) => {
  const seen = { shift: 0, events: [] };
  const found = { causes: [], apart: [], others: [], runs: 500, isCut, seen } as unknown as Reproduction;
  expect(reportText(found, [], { scenarios: [] }, finished).trimEnd().split('\n').at(-1)).toBe(last);
});

test.each([
  [true, 'No match in 18 runs. A larger --budget may find one. Closest:'],
  [false, 'No match in 18 runs. Closest:'],
])('a search without a match says how much it tried; cut %s', (isCut, headline) => {
  const cause = {
    ...{
      cause: 'x',
      key: '',
      also: [],
      fit: 0.5,
      verdict: 'comes nearest',
      version: '1.36',
      versions: ['1.36', '1.37'],
    },
    ...{
      runtime: 'strict',
      runtimes: ['strict', 'containerd-2.4'],
      unexplained: ['rows'],
      guesses: [],
      explanation: [],
    },
  };
  const seen = { shift: 0, events: [] };
  const found = { causes: [cause], apart: [], others: [], runs: 18, isCut, seen } as unknown as Reproduction;
  const text = reportText(found, [], { scenarios: [] }, true);
  expect(text).toContain(headline);
  expect(text).toContain('match 0.50; kubelet 1.36 (also 1.37); runtime strict (also containerd-2.4)');
  expect(text).toContain('no match for: rows');
});
