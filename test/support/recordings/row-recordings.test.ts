import { expect, test } from 'vitest';
import { rowVerdict } from './row-recordings.js';
import type { ShownRow } from './rows.js';

/** Rows with the seconds that each is shown. */
function rows(...shown: readonly (readonly [string, number])[]): ShownRow[] {
  let t = 0;
  return shown.map(([text, lasts]) => {
    const row = { t, text };
    t += lasts;
    return row;
  });
}
const recording = (own: readonly ShownRow[]) => new Map([['web', own]]);
const kindOf = (ours: readonly ShownRow[], ...runs: readonly ShownRow[][]) =>
  rowVerdict('web', ours, runs.map(recording)).kind;

const waits = rows(['Running', 5], ['Error', 1], ['CrashLoopBackOff', 10], ['Running', 5]);
const restarts = rows(['Running', 5], ['Error', 10], ['Running', 5]);
const sampledLate = rows(['Running', 5], ['Error', 0.4], ['CrashLoopBackOff', 10], ['Running', 5]);
const missed = rows(['Running', 5], ['CrashLoopBackOff', 10], ['Running', 5]);

test('rows are alike if they equal those of one run', () => {
  expect(kindOf(waits, restarts, waits)).toBe('alike');
  expect(kindOf(missed, sampledLate)).toBe('alike');
});

test('a row of at most one relist can be missing, and is counted separately', () => {
  expect(kindOf(missed, waits)).toBe('relist');
  expect(kindOf(waits, restarts, missed)).toBe('relist');
});

test('other rows are not chance, and the difference from the first run is named', () => {
  expect(rowVerdict('web', waits, [recording(restarts)])).toEqual({
    kind: 'other',
    difference: 'row 3 is "CrashLoopBackOff" at 6 s, was "Running" at 15 s',
  });
  expect(rowVerdict('web', waits, [recording([])]).kind).toBe('other');
});
