import { expect, test } from 'vitest';
import type { Reproduction } from '../reproduce.js';
import { reportText } from './text.js';

test.each([
  [true, true, '500 runs; the budget is used up (--budget)'],
  [true, false, '500 runs, interrupted'],
  [false, true, '500 runs'],
])('cut %s, finished %s: %s', (isCut, finished, last) => {
  const seen = { shift: 0, events: [] };
  const found = { causes: [], apart: [], others: [], runs: 500, isCut, seen } as unknown as Reproduction;
  expect(reportText(found, [], { scenarios: [] }, finished).trimEnd().split('\n').at(-1)).toBe(last);
});
