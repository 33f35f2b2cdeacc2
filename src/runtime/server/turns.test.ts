import { expect, test } from 'vitest';
import { createRealClock } from '../../base/clock/real-clock.js';
import { turn } from '../../base/clock/turn.js';
import { Turns } from './turns.js';

const clock = createRealClock();

/** A call that takes 2 ms of processor time after its first wait, and notes its name. */
function call(name: string, done: string[]) {
  return async () => {
    await undefined;
    for (const end = clock.elapsed() + 2; clock.elapsed() < end; );
    done.push(name);
  };
}

test('a call waits for a few calls of a connection that has a hundred, not for all', async () => {
  const turns = new Turns(clock);
  const done: string[] = [];
  for (let n = 0; n < 100; n++) turns.begin(1, call('many', done));
  turns.begin(2, call('one', done));
  while (!done.includes('one')) await turn();
  expect(done.length).toBeLessThan(10);
  while (done.length < 101) await turn();
});

test('calls of a connection keep their order', async () => {
  const turns = new Turns(clock);
  const done: string[] = [];
  const names = Array.from({ length: 20 }, (_, n) => `${n}`);
  for (const name of names) turns.begin(1, call(name, done));
  while (done.length < names.length) await turn();
  expect(done).toEqual(names);
});

test('many short calls take few turns', async () => {
  const turns = new Turns(clock);
  let ended = 0;
  for (let n = 0; n < 1000; n++) turns.begin(n % 3, () => ended++);
  let count = 0;
  for (; ended < 1000; count++) await turn();
  expect(count).toBeLessThan(100);
});
