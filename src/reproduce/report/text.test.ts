import { expect, test } from 'vitest';
import type { Reproduction } from '../reproduce.js';
import { reportText } from './text.js';

test.each([
  [true, true, '500 runs; the budget is used up (--budget)'],
  [true, false, '500 runs, interrupted'],
  [false, true, '500 runs'],
])('cut %s, finished %s: %s', (isCut, finished, last) => {
  const found = { causes: [], apart: [], runs: 500, isCut, seen: { shift: 0 } } as unknown as Reproduction;
  expect(reportText(found, [], { scenarios: [] }, finished).trimEnd().split('\n').at(-1)).toBe(last);
});
