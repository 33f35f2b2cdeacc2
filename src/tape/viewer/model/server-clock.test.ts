import { expect, test } from 'vitest';
import { createServerClock } from './server-clock.js';

test('runs between entries, as the one with the least delay says, and never back', () => {
  let elapsed = 1000;
  const clock = createServerClock('real', () => elapsed);
  clock.sync(5e9, elapsed);
  elapsed = 3000;
  expect(clock.now()).toBe(7e9);
  // This one took half a second.
  clock.sync(6.5e9, elapsed);
  expect(clock.now()).toBe(7e9);
  clock.sync(7.25e9, elapsed);
  elapsed = 4000;
  expect(clock.now()).toBe(8.25e9);
  clock.stop();
  elapsed = 9000;
  expect(clock.now()).toBe(8.25e9);
});

test('a virtual clock moves with the entries', () => {
  let elapsed = 0;
  const clock = createServerClock('virtual', () => elapsed);
  clock.sync(5e9, elapsed);
  elapsed = 60_000;
  expect(clock.now()).toBe(5e9);
});
