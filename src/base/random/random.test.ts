import { expect, test } from 'vitest';
import { createRandom, jitter } from './random.js';

test('one seed gives one sequence, forks are independent of what was drawn', () => {
  const draw = (seed: string, skip: number) => {
    const random = createRandom(seed);
    for (let index = 0; index < skip; index++) random.next();
    return [random.fork('a').next(), random.fork('b').next()];
  };
  expect(draw('x', 0)).toEqual(draw('x', 5));
  expect(draw('x', 0)).not.toEqual(draw('y', 0));
  expect(draw('x', 0)[0]).not.toBe(draw('x', 0)[1]);
});

test('numbers are spread evenly over [0, 1)', () => {
  const random = createRandom(42);
  const counts = new Array<number>(10).fill(0);
  for (let index = 0; index < 10_000; index++) {
    const slot = Math.floor(random.next() * 10);
    counts[slot] = (counts[slot] ?? 0) + 1;
  }
  for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(120);
});

test('jitter adds up to the factor', () => {
  const random = createRandom(1);
  for (let index = 0; index < 1000; index++) {
    const delay = jitter(random, 10, 0.5);
    expect(delay).toBeGreaterThanOrEqual(10);
    expect(delay).toBeLessThan(15);
  }
});
