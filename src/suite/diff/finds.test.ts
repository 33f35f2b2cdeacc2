import { expect, test } from 'vitest';
import type { TraceDifference } from './compare.js';
import { Finds } from './finds.js';

const difference = (method: string): TraceDifference => ({
  method,
  aspect: 'code',
  field: '',
  left: 'OK',
  right: 'NOT_FOUND',
  step: 0,
});

test('kinds are in the same order, whichever sequence ends first', () => {
  const kinds = (...methods: string[]) => {
    const finds = new Finds([]);
    for (const method of methods) finds.add([], [difference(method)]);
    return finds.kinds.map((kind) => finds.of(kind).difference.method);
  };
  expect(kinds('Version', 'Attach', 'Exec')).toEqual(kinds('Exec', 'Version', 'Attach'));
});
