import { expect, test } from 'vitest';
import fc from '../../../test/support/properties.js';
import { align } from './align.js';

const alignText = (lists: readonly string[], mostCells?: number) =>
  align(
    lists.map((text) => [...text]),
    (letter) => letter,
    mostCells,
  ).map(({ item, found }) =>
    found
      .map((each) => each ?? '-')
      .join('')
      .padEnd(1, item),
  );

test('merges what is equal in the same order, and keeps the rest in its place', () => {
  expect(alignText(['abcd', 'bxd', 'ad'])).toEqual(['a-a', 'bb-', 'c--', '-x-', 'ddd']);
});

const short = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 12 });

test('every list is whole and in order, also where long lists are aligned in pieces', () => {
  fc.assert(
    fc.property(fc.array(short, { maxLength: 4 }), fc.constantFrom(1, 4, 30, 1000), (lists, mostCells) => {
      const rows = alignText(lists, mostCells);
      lists.forEach((list, index) => {
        expect(
          rows
            .map((row) => row[index])
            .join('')
            .replaceAll('-', ''),
        ).toBe(list);
      });
    }),
  );
});

test('two lists have as much in common as their longest common subsequence', () => {
  const common = ([a = '', ...left]: string[], [b = '', ...right]: string[]): number => {
    if (a === '' || b === '') return 0;
    return a === b
      ? common(left, right) + 1
      : Math.max(common(left, [b, ...right]), common([a, ...left], right));
  };
  const shorter = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 7 });
  fc.assert(
    fc.property(shorter, shorter, (left, right) => {
      const both = alignText([left, right]).filter((row) => !row.includes('-'));
      expect(both).toHaveLength(common([...left], [...right]));
    }),
  );
});
