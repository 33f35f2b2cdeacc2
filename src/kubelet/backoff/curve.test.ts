import { describe, expect, test } from 'vitest';
import { type CurveSettings, restartCurve } from './curve.js';

const settings: CurveSettings = {
  initial: 10_000,
  max: 300_000,
  reset: 600_000,
  run: 0,
  restarts: 9,
  requeue: 'expiry',
};
const waits = (given: Partial<CurveSettings>) =>
  restartCurve({ ...settings, ...given }).map(({ waits }) => waits / 1000);

describe('the restarts of a container that ends by itself', () => {
  test('are immediate, then after 10 s, 20 s, … 300 s', () => {
    expect(waits({})).toEqual([0, 10, 20, 40, 80, 160, 300, 300, 300]);
  });

  test('start over when the entry is collected 600 s after the last start, although the container still waits', () => {
    const curve = restartCurve({ ...settings, run: 400_000 });
    expect(curve.map(({ waits }) => waits / 1000)).toEqual([0, 10, 20, 40, 80, 160, 200, 10, 20]);
    expect(curve[6]?.why).toBe('collected');
  });

  test('are always immediate after runs longer than 600 s', () => {
    expect(waits({ run: 601_000 })).toEqual(Array(9).fill(0));
  });

  test('have a reason and a time', () => {
    const curve = restartCurve({ ...settings, run: 3000, restarts: 3 });
    expect(curve.map(({ restart, at, why }) => [restart, at / 1000, why])).toEqual([
      [1, 3, 'first'],
      [2, 16, 'back-off'],
      [3, 39, 'back-off'],
    ]);
  });

  test.each([
    ['fixed' as const, [2, 27, 37, 57, 97, 177, 317]],
    ['expiry' as const, [2, 16, 31, 61, 91, 181, 331]],
  ])('can be later by the requeue jitter: %s', (requeue, expected) => {
    const latest = restartCurve({ ...settings, requeue, restarts: 7 }).map((point) => point.latest / 1000);
    expect(latest).toEqual(expected);
  });

  test('follow configured limits', () => {
    expect(waits({ initial: 1000, max: 60_000 })).toEqual([0, 1, 2, 4, 8, 16, 32, 60, 60]);
  });
});
