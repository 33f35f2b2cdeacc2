import { expect, test } from 'vitest';
import { createPacedClock } from './paced-clock.js';
import { createRealClock } from './real-clock.js';
import { turn } from './turn.js';

/** A paced clock, on a machine whose time stands still until the test moves it. */
function setup(speed: number) {
  let time = 0;
  const machine = { ...createRealClock(), now: () => 5n, elapsed: () => time, sleep: turn };
  const problems: unknown[] = [];
  const clock = createPacedClock({ speed, machine, stood: (error) => problems.push(error) });
  const pass = (milliseconds: number) => {
    time += milliseconds;
  };
  const reached = async (elapsed: number) => {
    while (clock.elapsed() < elapsed) await turn();
    return clock.elapsed();
  };
  return { clock, pass, reached, problems };
}

test('time passes as often as fast as on the machine, from its date on, until it is closed', async () => {
  const { clock, pass, reached, problems } = setup(20);
  const seen: number[] = [];
  clock.setTimer(1000, () => void seen.push(clock.elapsed()));
  pass(40);
  expect(await reached(800)).toBe(800);
  pass(60);
  expect(await reached(2000)).toBe(2000);
  expect(seen).toEqual([1000]);
  expect(clock.now()).toBe(2_000_000_005n);
  clock.close();
  pass(1000);
  for (let turns = 0; turns < 20; turns++) await turn();
  expect(clock.elapsed()).toBe(2000);
  expect(problems).toEqual([]);
});

test('what a busy machine is late with is in time: the clock waits for it, and catches up', async () => {
  const { clock, pass, reached } = setup(10);
  const release = clock.hold();
  pass(100);
  for (let turns = 0; turns < 20; turns++) await turn();
  expect(clock.elapsed()).toBe(0);
  release();
  expect(await reached(1000)).toBe(1000);
  clock.close();
});

test('skipped time is lived through before the skip ends', async () => {
  const { clock } = setup(1);
  const seen: number[] = [];
  const tick = () => {
    seen.push(clock.elapsed());
    clock.setTimer(60_000, tick);
  };
  clock.setTimer(60_000, tick);
  await clock.advance(300_000);
  expect(seen).toEqual([60_000, 120_000, 180_000, 240_000, 300_000]);
  clock.close();
});
