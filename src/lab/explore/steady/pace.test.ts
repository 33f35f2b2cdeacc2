import { expect, test } from 'vitest';
import type { Entry } from '../../../tape/entries.js';
import { createPaceReader, isSamePace } from './pace.js';

/** The pace after 60 s of calls in these intervals, in ms, by method. */
function paceOf(intervals: Readonly<Record<string, number>>) {
  const reader = createPaceReader();
  for (const [method, interval] of Object.entries(intervals))
    for (let at = 0; at <= 60_000; at += interval)
      reader.read({ kind: 'call', method, t: at * 1e6 } as Entry);
  return reader.at(60_000);
}

const usual = { ListPodSandbox: 1000, Status: 5000 };

test('periodic calls of the last ten seconds count, others do not', () => {
  expect([...paceOf({ ...usual, StartContainer: 1000 })]).toEqual([
    ['ListPodSandbox', 11],
    ['Status', 3],
  ]);
});

test.each([
  ['the same', usual, true],
  ['a relist that takes a little longer', { ...usual, ListPodSandbox: 1200 }, true],
  ['two relists at a time', { ...usual, ListPodSandbox: 500 }, false],
  ['no relist', { Status: 5000 }, false],
  ['no status', { ListPodSandbox: 1000 }, false],
])('%s', (_, intervals, isSame) => {
  expect(isSamePace(paceOf(intervals), paceOf(usual))).toBe(isSame);
});
