import { expect, test } from 'vitest';
import { milliseconds } from './milliseconds.js';

test.each([
  ['10m', 600_000],
  [250, 250],
  [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
])('%s is %d ms', (given, wanted) => expect(milliseconds(given)).toBe(wanted));

test.each(['-5s', -1, Number.NaN, '5'])('%s is no time to wait for', (given) => {
  expect(() => milliseconds(given)).toThrow(
    `expected a duration such as "10m", or milliseconds, not negative; given ${typeof given === 'number' ? given : JSON.stringify(given)}`,
  );
});
