import { describe, expect, test } from 'vitest';
import fc from '../../../test/support/properties.js';
import { millisToNanos } from '../../base/clock/clock.js';
import { createVirtualClock } from '../../base/clock/virtual-clock.js';
import { createRandom } from '../../base/random/random.js';
import { createBackOff } from './backoff.js';

const SECOND = 1000;

function setup(options: { initial?: number; max?: number; expiry?: number; jitterFactor?: number } = {}) {
  const clock = createVirtualClock();
  const backOff = createBackOff({
    clock,
    initial: 10 * SECOND,
    max: 300 * SECOND,
    random: createRandom(1),
    ...options,
  });
  return { clock, backOff };
}

describe('flowcontrol.Backoff', () => {
  test('doubles from the initial delay to the maximum', () => {
    const { clock, backOff } = setup();
    const delays = Array.from({ length: 7 }, () => {
      backOff.next('a', clock.now());
      return backOff.get('a') / SECOND;
    });
    expect(delays).toEqual([10, 20, 40, 80, 160, 300, 300]);
  });

  test('does not cap the first delay', () => {
    const { clock, backOff } = setup({ initial: 500 * SECOND });
    backOff.next('a', clock.now());
    expect(backOff.get('a')).toBe(500 * SECOND);
    backOff.next('a', clock.now());
    expect(backOff.get('a')).toBe(300 * SECOND);
  });

  test('holds before the delay and ends exactly at it', async () => {
    const { clock, backOff } = setup();
    const finished = clock.now();
    backOff.next('a', finished);
    await clock.advance(10 * SECOND - 0.000001);
    expect(backOff.isInBackOffSince('a', finished)).toBe(true);
    expect(backOff.isInBackOffSinceUpdate('a', clock.now())).toBe(true);
    await clock.advance(0.000001);
    expect(backOff.isInBackOffSince('a', finished)).toBe(false);
    expect(backOff.isInBackOffSinceUpdate('a', clock.now())).toBe(false);
  });

  test('an unknown id is not in back-off', () => {
    const { clock, backOff } = setup();
    expect(backOff.isInBackOffSince('a', clock.now())).toBe(false);
    expect(backOff.get('a')).toBe(0);
  });

  test.each([
    [600 * SECOND, 20],
    [600 * SECOND + 0.000001, 10],
  ])('an event %d ms after the last update gives %d s', (age, expected) => {
    const { clock, backOff } = setup();
    const start = clock.now();
    backOff.next('a', start);
    backOff.next('a', start + millisToNanos(age));
    expect(backOff.get('a') / SECOND).toBe(expected);
  });

  test('a past event never expires an entry, a future one keeps it in back-off', async () => {
    const { clock, backOff } = setup();
    const start = clock.now();
    backOff.next('a', start);
    await clock.advance(10_000 * SECOND);
    backOff.next('a', start - millisToNanos(5 * SECOND));
    expect(backOff.get('a')).toBe(20 * SECOND);
    expect(backOff.isInBackOffSince('a', clock.now() + millisToNanos(60 * SECOND))).toBe(true);
  });

  test('collects entries whose last update is more than the expiry ago', async () => {
    const { clock, backOff } = setup({ max: 60 * SECOND, expiry: 600 * SECOND });
    backOff.next('a', clock.now());
    await clock.advance(600 * SECOND);
    backOff.gc();
    expect(backOff.get('a')).toBe(10 * SECOND);
    await clock.advance(1);
    backOff.gc();
    expect(backOff.get('a')).toBe(0);
  });

  test('expires after twice the maximum by default', async () => {
    const { clock, backOff } = setup({ max: 60 * SECOND });
    backOff.next('a', clock.now());
    await clock.advance(120 * SECOND + 1);
    backOff.gc();
    expect(backOff.get('a')).toBe(0);
  });

  test('jitter adds up to its factor and never exceeds the maximum', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.double({ min: 0.01, max: 2, noNaN: true }),
        (steps, factor) => {
          const { clock, backOff } = setup({ jitterFactor: factor });
          let before = 0;
          for (let step = 0; step < steps; step++) {
            backOff.next('a', clock.now());
            const delay = backOff.get('a');
            const base = before === 0 ? 10 * SECOND : Math.min(before * 2, 300 * SECOND);
            const spread = (before === 0 ? base : before) * factor;
            expect(delay).toBeGreaterThanOrEqual(base);
            expect(delay).toBeLessThanOrEqual(
              before === 0 ? base + spread : Math.min(base + spread, 300 * SECOND),
            );
            before = delay;
          }
        },
      ),
    );
  });
});

describe('a job that is checked every second and waits 5 s, 10 s, … 60 s between runs', () => {
  /** Intervals between runs in whole seconds; `work` ms pass between the tick and the renewal. */
  async function gaps(work: number): Promise<number[]> {
    const { clock, backOff } = setup({ initial: 5 * SECOND, max: 60 * SECOND });
    const start = clock.now();
    let last = start;
    const found: number[] = [];
    for (let second = 1; second <= 220; second++) {
      await clock.advance(Number(start + millisToNanos(second * SECOND) - clock.now()) / 1e6);
      if (backOff.isInBackOffSince('test', last)) continue;
      found.push(Math.round(Number(clock.now() - last) / 1e9));
      await clock.advance(work);
      backOff.next('test', clock.now());
      last = clock.now();
    }
    return found;
  }

  test('work without duration runs on the ticks', async () => {
    expect(await gaps(0)).toEqual([1, 5, 10, 20, 40, 60, 60]);
  });

  test('work with a duration runs one tick later each time', async () => {
    expect(await gaps(0.2)).toEqual([1, 6, 11, 21, 41, 61, 61]);
  });
});
