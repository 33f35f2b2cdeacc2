import { expect, test } from 'vitest';
import { readPairs } from './go-text.js';

test('pairs between words, whatever the words end with', () => {
  const text = 'begin a=1 b.c/d-e="x \\" y" word: f=[1 2] a-b c= end';
  expect([...readPairs(text)]).toEqual([
    ['a', '1'],
    ['b.c/d-e', 'x " y'],
    ['f', '[1 2]'],
    ['c', ''],
  ]);
});

test('a long word without a value is read once', () => {
  // Read again from each of its letters, it would take hours.
  expect(readPairs(`${'a'.repeat(4_000_000)} b=1`)).toEqual(new Map([['b', '1']]));
});
