import { expect, test } from 'vitest';
import { createVirtualClock } from '../../base/clock/virtual-clock.js';
import { createPace, type Priority } from './pace.js';

function setup(limits = { qps: 10, burst: 5, inFlight: 100 }) {
  const clock = createVirtualClock();
  const pace = createPace(clock, limits);
  const begun: string[] = [];
  const ask = (name: string, priority: Priority = 'normal') =>
    void pace.run(priority, async () => {
      begun.push(name);
      await clock.sleep(1);
    });
  return { clock, pace, begun, ask };
}

test('a burst goes at once, the rest at the rate', async () => {
  const { clock, pace, begun, ask } = setup();
  for (let index = 0; index < 20; index++) ask(String(index));
  await clock.advance(1);
  expect(begun).toHaveLength(5);
  await clock.advance(1000);
  expect(begun).toHaveLength(15);
  expect(pace.waiting).toBe(5);
});

test('lists go first, then heartbeats, and events last', async () => {
  const { clock, begun, ask } = setup({ qps: 10, burst: 1, inFlight: 1 });
  ask('first');
  ask('event', 'event');
  ask('status');
  ask('lease', 'heartbeat');
  ask('list', 'first');
  await clock.advance(1000);
  expect(begun).toEqual(['first', 'list', 'lease', 'status', 'event']);
});

test('a server that is too slow for all heartbeats gets the other requests too', async () => {
  const { clock, begun, ask } = setup({ qps: 10, burst: 1, inFlight: 1 });
  for (let index = 0; index < 200; index++) ask('lease', 'heartbeat');
  for (let index = 0; index < 200; index++) ask('status');
  for (let index = 0; index < 200; index++) ask('event', 'event');
  await clock.advance(16_000);
  const count = (name: string) => begun.filter((each) => each === name).length;
  expect(count('status')).toBeGreaterThan(25);
  expect(count('event')).toBeGreaterThan(8);
  expect(count('lease')).toBeGreaterThan(100);
});

test('while the server is away one request at a time tries, and all go when it is back', async () => {
  const clock = createVirtualClock();
  const pace = createPace(clock, { qps: 1000, burst: 1000, inFlight: 50 });
  let isAway = true;
  let attempts = 0;
  let done = 0;
  const send = async (): Promise<void> => {
    attempts++;
    await clock.sleep(1);
    if (!isAway) {
      pace.back();
      return;
    }
    pace.away();
    throw new Error('away');
  };
  const request = async (): Promise<void> => {
    for (;;) {
      try {
        await clock.idle(pace.run('normal', send));
        done++;
        return;
      } catch {
        await clock.sleep(1000);
      }
    }
  };
  for (let index = 0; index < 500; index++) void clock.run(request);
  await clock.advance(300_000);
  // The first 50 were in progress at the same time; after that one at a time, at most every 10 s.
  expect(attempts).toBeLessThan(50 + 45);
  isAway = false;
  await clock.advance(30_000);
  expect(done).toBe(500);
  expect(attempts).toBeLessThan(50 + 45 + 550);
});

test('what waits when it is closed is refused', async () => {
  const clock = createVirtualClock();
  const pace = createPace(clock, { qps: 1, burst: 1, inFlight: 1 });
  void pace.run('normal', () => clock.sleep(10_000));
  const waiting = pace.run('normal', async () => {});
  pace.close(new Error('closed'));
  await expect(waiting).rejects.toThrow('closed');
});
