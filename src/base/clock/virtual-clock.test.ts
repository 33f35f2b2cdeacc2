import { expect, test, vi } from 'vitest';
import fc from '../../../test/support/properties.js';
import { turn } from './turn.js';
import { createVirtualClock } from './virtual-clock.js';

test('timers fire in the order of their times, then of their making', async () => {
  const clock = createVirtualClock();
  const fired: string[] = [];
  clock.setTimer(20, () => void fired.push(`b@${clock.elapsed()}`));
  clock.setTimer(10, () => void fired.push(`a@${clock.elapsed()}`));
  clock.setTimer(20, () => void fired.push(`c@${clock.elapsed()}`));
  clock.setTimer(15, () => void fired.push('cancelled')).cancel();
  await clock.advance(100);
  expect(fired).toEqual(['a@10', 'b@20', 'c@20']);
  expect(clock.elapsed()).toBe(100);
});

test('of any timers those that were not cancelled fire, in order', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ delay: fc.nat(50), cancels: fc.option(fc.nat(30)) }), { maxLength: 60 }),
      async (plan) => {
        const clock = createVirtualClock();
        const fired: number[] = [];
        const gone = new Set<number>();
        const timers = plan.map(({ delay }, index) => clock.setTimer(delay, () => void fired.push(index)));
        for (const { cancels } of plan) {
          if (cancels === null || cancels >= plan.length) continue;
          timers[cancels]?.cancel();
          gone.add(cancels);
        }
        await clock.advance(100);
        const order = plan.map((_, index) => index).filter((index) => !gone.has(index));
        expect(fired).toEqual(order.sort((a, b) => (plan[a]?.delay ?? 0) - (plan[b]?.delay ?? 0)));
      },
    ),
    { numRuns: 200 },
  ));

test('a task that works holds the clock, one that sleeps or idles does not', async () => {
  const clock = createVirtualClock();
  const log: string[] = [];
  void clock.run(async () => {
    await new Promise((resolve) => setImmediate(() => setImmediate(() => setImmediate(resolve))));
    log.push(`worked@${clock.elapsed()}`);
    await clock.sleep(5);
    log.push(`slept@${clock.elapsed()}`);
    await clock.idle(new Promise<void>((resolve) => clock.setTimer(7, resolve)));
    log.push(`idled@${clock.elapsed()}`);
  });
  clock.setTimer(3, () => void log.push(`timer@${clock.elapsed()}`));
  await clock.advance(50);
  expect(log).toEqual(['worked@0', 'timer@3', 'slept@5', 'idled@12']);
});

test('a task that ends while its abandoned wait continues leaves only once', async () => {
  const clock = createVirtualClock();
  const release = clock.hold();
  let end = () => {};
  const wait = new Promise<void>((resolve) => {
    end = resolve;
  });
  await clock.run(() => Promise.race([clock.idle(wait), Promise.resolve()]));
  let passed = false;
  const advancing = clock.advance(10).then(() => {
    passed = true;
  });
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(passed).toBe(false);
  end();
  release();
  await advancing;
  expect(clock.elapsed()).toBe(10);
});

test('what a task leaves behind may sleep, and what works then still holds the clock', async () => {
  const clock = createVirtualClock();
  let left: Promise<void> | undefined;
  await clock.run(async () => {
    left = turn().then(() => clock.sleep(5));
  });
  await clock.advance(10);
  await left;
  const log: string[] = [];
  void clock.run(async () => {
    for (let turns = 0; turns < 10; turns++) await turn();
    log.push(`worked@${clock.elapsed()}`);
  });
  await clock.advance(10);
  expect(log).toEqual(['worked@10']);
});

test('a hold keeps time from passing', async () => {
  const clock = createVirtualClock();
  const release = clock.hold();
  let passed = false;
  const advancing = clock.advance(10).then(() => {
    passed = true;
  });
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(passed).toBe(false);
  release();
  await advancing;
  expect(clock.elapsed()).toBe(10);
});

test('an aborted sleep rejects with the reason', async () => {
  const clock = createVirtualClock();
  const abort = new AbortController();
  const sleeping = clock.run(() => clock.sleep(1000, abort.signal));
  const outcome = expect(sleeping).rejects.toThrow('enough');
  clock.setTimer(10, () => abort.abort(new Error('enough')));
  await clock.advance(20);
  await outcome;
});

test('keeps the tasks of two clocks apart, one within the other', async () => {
  const outer = createVirtualClock();
  const inner = createVirtualClock();
  let woke = '';
  void outer.run(() =>
    inner.run(async () => {
      await outer.sleep(10);
      woke += 'outer ';
      await outer.idle(inner.sleep(10));
      woke += 'inner';
    }),
  );
  await outer.advance(10);
  expect(woke).toBe('outer ');
  await inner.advance(10);
  expect(woke).toBe('outer inner');
});

test.each([
  ['no time', 0],
  ['nanoseconds', 1e-6],
])('activity that takes %s and continues is an error, after a minute of real time', async (_, takes) => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    const clock = createVirtualClock();
    let goesOn = true;
    const again = async (): Promise<void> => {
      if (takes > 0) await clock.sleep(takes);
      await new Promise(setImmediate);
      if (goesOn) void clock.run(again);
    };
    void clock.run(again);
    const stands = expect(clock.advance(1000)).rejects.toThrow('the virtual clock stands still at 0 s');
    for (let second = 0; second < 90; second++) {
      await new Promise(setImmediate);
      await vi.advanceTimersByTimeAsync(1000);
    }
    goesOn = false;
    await stands;
  } finally {
    vi.useRealTimers();
  }
});

test('activity that never ends is an error, after a minute of real time', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    const clock = createVirtualClock();
    void clock.run(() => new Promise(() => {}));
    const stands = expect(clock.advance(1000)).rejects.toThrow('the virtual clock stands still at 0 s');
    await vi.advanceTimersByTimeAsync(90_000);
    await stands;
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test('time never goes back, also if the time to advance to is past', async () => {
  const clock = createVirtualClock();
  await clock.advance(1000);
  await clock.advance(-400);
  expect(clock.elapsed()).toBe(1000);
  expect(await clock.runUntil(() => false, -400)).toBe(false);
  expect(clock.elapsed()).toBe(1000);
});

test('a program may not move its clock by itself to when another one wants to run', async () => {
  const clock = createVirtualClock({ start: 0n });
  const given: string[] = [];
  for (const [name, interval] of [
    ['a', 2000n],
    ['b', 3000n],
  ] as const) {
    let next = interval;
    clock.join({
      get next() {
        return next;
      },
      proceed: ({ now, until }) => {
        if (next > now) return false;
        next = now + interval;
        given.push(`${name} ${now}-${until}`);
        return true;
      },
    });
  }
  await clock.advance(0.006);
  expect(given).toEqual(['a 2000-2999', 'b 3000-3999', 'a 4000-5999', 'a 6000-6000', 'b 6000-6000']);
});

test('what a program does makes the others look, and what it does not do does not', async () => {
  const clock = createVirtualClock({ start: 0n });
  const looks: string[] = [];
  const join = (name: string, due: bigint, acts: (looks: number) => boolean) => {
    let seen = 0;
    let count = 0;
    clock.join({
      get next() {
        return count === 0 ? due : undefined;
      },
      proceed: ({ now, sent, acted }) => {
        if (now < due || (count > 0 && sent() === seen)) return false;
        looks.push(`${name} ${now}`);
        if (acts(count++)) acted();
        seen = sent();
        return true;
      },
    });
  };
  join('a', 1000n, (before) => before === 0);
  join('b', 1000n, (before) => before === 0);
  await clock.advance(0.001);
  expect(looks).toEqual(['a 1000', 'b 1000', 'a 1000']);
});

test('a program does not move its clock past bytes that another one has not read', async () => {
  const clock = createVirtualClock({ start: 0n });
  const given: string[] = [];
  let wants: bigint | undefined = 1000n;
  let seen = 0;
  clock.join({
    get next() {
      return wants;
    },
    proceed: ({ now, until, acted }) => {
      if (wants === undefined || wants > now) return false;
      given.push(`sender ${now}-${until}`);
      wants = wants < 1002n ? wants + 1n : undefined;
      acted();
      return true;
    },
  });
  clock.join({
    next: undefined,
    isBehind: (sent) => sent !== seen,
    proceed: ({ now, sent }) => {
      if (sent() === seen) return false;
      seen = sent();
      given.push(`reader ${now}`);
      return true;
    },
  });
  clock.setTimer(0.001, () => clock.wires.follow({ bytesRead: 0, bytesWritten: 1, once: () => {} }));
  await clock.advance(0.01);
  expect(given.slice(0, 4)).toEqual(['sender 1000-1000', 'reader 1000', 'sender 1001-10000', 'reader 1001']);
});

test('runUntil ends at the instant at which its condition holds, also while programs have more to do', async () => {
  const clock = createVirtualClock({ start: 0n });
  let runs = 0;
  clock.join({
    next: undefined,
    proceed: ({ now, reach }) => {
      runs++;
      reach(now + 1_000_000n);
      return runs < 10;
    },
  });
  expect(await clock.runUntil(() => runs === 2, 1000)).toBe(true);
  expect(clock.elapsed()).toBe(2);
});
