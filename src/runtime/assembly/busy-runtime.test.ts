import { expect, test } from 'vitest';
import { createVirtualClock } from '../../base/clock/virtual-clock.js';
import type { Call } from '../../cri/service.js';
import { createService } from '../../cri/wrap-service.js';
import { AT_ONCE, busyRuntime, EACH } from './busy-runtime.js';

/** Calls without waiting; resolves with when each was answered, in ms. */
function runtime() {
  const clock = createVirtualClock();
  const below = createService({
    unary: () => () => ({ version: String(clock.elapsed()) }),
    stream: () => () => ({
      [Symbol.asyncIterator]: () => ({ next: async () => ({ done: true, value: {} }) }),
    }),
  });
  const service = busyRuntime(clock)(below);
  const call: Call = { signal: new AbortController().signal, deadline: undefined };
  const answered = async () =>
    Number(((await service.version({ version: '' }, call)) as { version: string }).version);
  return { clock, answered };
}

test('calls are answered at once, however many come together, up to a limit', async () => {
  const { clock, answered } = runtime();
  const all = Promise.all(Array.from({ length: AT_ONCE }, answered));
  await clock.settle();
  expect(new Set(await all)).toEqual(new Set([0]));
});

test('a client that calls again and again gets on in time', async () => {
  const { clock, answered } = runtime();
  const more = 10;
  const times: number[] = [];
  const calls = clock.run(async () => {
    for (let n = 0; n < AT_ONCE + more; n++) times.push(await answered());
  });
  await clock.advance(1000);
  await calls;
  expect(times.slice(AT_ONCE - 1)).toEqual(Array.from({ length: more + 1 }, (_, n) => n * EACH));
});

test('with time, calls are answered at once again', async () => {
  const { clock, answered } = runtime();
  void Promise.all(Array.from({ length: AT_ONCE }, answered));
  await clock.advance(100 * EACH);
  const later = Promise.all(Array.from({ length: 101 }, answered));
  await clock.advance(1000);
  const times = await later;
  expect(times.slice(0, 100)).toEqual(Array(100).fill(100 * EACH));
  expect(times[100]).toBe(101 * EACH);
});
