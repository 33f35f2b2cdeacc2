import { expect, test } from 'vitest';
import type { Clock } from './clock.js';
import { Cpu } from './cpu.js';
import { tick, turn } from './turn.js';

/** A processor whose present slice is used up. */
function busyCpu(): Cpu {
  let now = 0;
  const cpu = new Cpu({ kind: 'real', elapsed: () => now } as Clock);
  cpu.request();
  now = 5;
  return cpu;
}

test('a waiter that is gone continues at once, and those behind it keep their places', async () => {
  const cpu = busyCpu();
  const gone = new AbortController();
  const order: string[] = [];
  const wait = (name: string, signal?: AbortSignal) => cpu.request(signal)?.then(() => order.push(name));
  wait('first');
  wait('gone', gone.signal);
  wait('third');
  gone.abort();
  await tick();
  expect(order).toEqual(['gone']);
  await turn();
  expect(order).toEqual(['gone', 'first']);
  await turn();
  expect(order).toEqual(['gone', 'first', 'third']);
});

test('a thousand waiters that are gone take no turns', async () => {
  const cpu = busyCpu();
  const leaving = Array.from({ length: 1000 }, () => new AbortController());
  let isNext = false;
  for (const { signal } of leaving) void cpu.request(signal);
  void cpu.request()?.then(() => {
    isNext = true;
  });
  for (const one of leaving) one.abort();
  await turn();
  expect(isNext).toBe(true);
});
