import { expect, test } from 'vitest';
import { changedIn, leavesOf } from './leaves.js';

test('an item of a list is known by what it is about, not by its place', () => {
  const before = leavesOf({
    process: { env: ['A=1', 'B=2'] },
    mounts: [{ destination: '/data', type: 'bind' }],
  });
  const after = leavesOf({
    process: { env: ['B=2', 'A=3', 'C=4'] },
    mounts: [{ destination: '/data', type: 'bind' }],
  });
  expect(changedIn(after, before)).toEqual(['process.env[A]', 'process.env[C]']);
});
