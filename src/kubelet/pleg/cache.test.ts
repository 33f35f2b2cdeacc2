import { expect, test } from 'vitest';
import { turn } from '../../base/clock/turn.js';
import { createVirtualClock } from '../../base/clock/virtual-clock.js';
import { createPodCache, emptyStatus } from './cache.js';

const make = (options: { refuseOlder?: boolean; miss?: 'empty' | 'wait' } = {}) => {
  const clock = createVirtualClock();
  const cache = createPodCache({ clock, refuseOlder: false, miss: 'wait', ...options });
  return { clock, cache };
};

/** Whether the promise resolves without any other work. */
async function isImmediate(promise: Promise<unknown>): Promise<boolean> {
  return Promise.race([promise.then(() => true), turn().then(() => false)]);
}

test('an entry is fresh only when strictly newer, but an equal time wakes a waiter', async () => {
  const { cache } = make();
  cache.set('a', emptyStatus('a'), undefined, 10n);
  expect(await isImmediate(cache.getNewerThan('a', 9n))).toBe(true);
  const waiting = cache.getNewerThan('a', 10n);
  expect(await isImmediate(waiting)).toBe(false);
  cache.updateTime(10n);
  expect(await isImmediate(waiting)).toBe(true);
});

test('an unknown pod waits for a newer global time; up to 1.28 it is empty immediately', async () => {
  const { cache } = make();
  const waiting = cache.getNewerThan('a', 0n);
  expect(await isImmediate(waiting)).toBe(false);
  cache.updateTime(1n);
  expect((await waiting).containers).toEqual([]);
  expect(await isImmediate(make({ miss: 'empty' }).cache.getNewerThan('a', 99n))).toBe(true);
});

test('an observed time wakes a waiter like a change', async () => {
  const { cache } = make();
  cache.set('a', emptyStatus('a'), undefined, 1n);
  cache.setObservedTime('a', 5n);
  expect(await isImmediate(cache.getNewerThan('a', 4n))).toBe(true);
});

test('only the evented PLEG refuses an older status', () => {
  const refusing = make({ refuseOlder: true }).cache;
  expect(refusing.set('a', emptyStatus('a'), undefined, 5n)).toBe(true);
  expect(refusing.set('a', emptyStatus('a'), undefined, 4n)).toBe(false);
  const { cache } = make();
  cache.set('a', emptyStatus('a'), undefined, 5n);
  expect(cache.set('a', emptyStatus('a'), undefined, 4n)).toBe(true);
});

test('a read throws the error of a failed inspection', async () => {
  const { cache } = make();
  cache.set('a', undefined, new Error('boom'), 5n);
  await expect(cache.getNewerThan('a', 1n)).rejects.toThrow('boom');
  expect(() => cache.get('a')).toThrow('boom');
});
