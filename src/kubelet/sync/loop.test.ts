import { expect, test } from 'vitest';
import { createVirtualClock } from '../../base/clock/virtual-clock.js';
import { createRandom } from '../../base/random/random.js';
import { createEventChannel } from '../pleg/channel.js';
import type { Problem } from '../types/reports.js';
import { createSyncLoop } from './loop.js';
import { createWorkQueue } from './work-queue.js';

const down: readonly Problem[] = [{ what: 'runtime-down', text: 'the runtime is down' }];

function setup(runtimeErrors: readonly Problem[] = [], seed = 1) {
  const clock = createVirtualClock();
  const did: string[] = [];
  const state = { errors: runtimeErrors };
  const note = (what: string) => did.push(`${clock.elapsed() / 1000} ${what}`);
  const queue = createWorkQueue(clock, () => loop.workChanged());
  const loop = createSyncLoop({
    clock,
    random: createRandom(seed),
    channel: createEventChannel(() => {}),
    queue,
    runtimeErrors: () => state.errors,
    log: () => {},
    handlers: {
      configChanged: () => note('config'),
      podEvent: () => {},
      workDue: (uids) => note(`work of ${uids}`),
      probeUpdate: ({ kind }) => note(`probe ${kind}`),
      drained: () => {
        if (did.at(-1)?.includes('probe')) note('drained');
      },
      housekeeping: async () => {
        note('housekeeping');
      },
    },
  });
  loop.start();
  return { clock, loop, queue, did, state };
}

test('housekeeping runs every two seconds, first after two seconds, and not before the pods are known', async () => {
  const { clock, loop, did } = setup();
  await clock.advance(3000);
  expect(did).toEqual([]);
  loop.config([]);
  await clock.advance(3500);
  expect(did).toEqual(['3 config', '4 housekeeping', '6 housekeeping']);
  loop.stop();

  const other = setup();
  other.loop.config([]);
  await other.clock.advance(2000);
  expect(other.did).toEqual(['0 config', '2 housekeeping']);
  other.loop.stop();
});

test('work is done at the first tick after its time, what is over at a time at the tick of that time', async () => {
  const { clock, loop, queue, did } = setup();
  const at = (seconds: number) => clock.now() + BigInt(seconds) * 1_000_000_000n;
  queue.enqueue('a', 2000);
  queue.remind('b', at(2));
  queue.remind('c', at(4));
  await clock.advance(5000);
  expect(did).toEqual(['2 work of b', '3 work of a', '4 work of c']);
  loop.stop();
});

test('a loop that waits for the runtime makes no iteration', async () => {
  const { clock, loop, state } = setup(down);
  await clock.advance(60_000);
  expect(loop.lastIteration).toBeUndefined();
  state.errors = [];
  await clock.advance(10_000);
  const last = loop.lastIteration ?? 0;
  expect(last).toBeGreaterThan(60_000);
  state.errors = down;
  loop.wake();
  await clock.advance(60_000);
  expect(loop.lastIteration).toBeLessThanOrEqual(70_000);
  loop.stop();
});

test('results of probes come to the loop after all that happens in their instant, in any order, together or not', async () => {
  const outcomes = new Set<string>();
  for (let seed = 0; seed < 40; seed++) {
    const { clock, loop, did } = setup([], seed);
    const result = { uid: 'u', containerId: 'c', result: 'unknown' } as const;
    loop.config([]);
    clock.setTimer(1000, () => {
      loop.probe({ kind: 'startup', ...result });
    });
    clock.setTimer(1000, () => {
      did.push('another probe looks at the status');
      loop.probe({ kind: 'readiness', ...result });
    });
    await clock.advance(1500);
    loop.stop();
    expect(did.slice(0, 2)).toEqual(['0 config', 'another probe looks at the status']);
    outcomes.add(did.slice(2).join(', '));
  }
  const together = (first: string, second: string) => `1 probe ${first}, 1 probe ${second}, 1 drained`;
  const apart = (first: string, second: string) =>
    `1 probe ${first}, 1 drained, 1 probe ${second}, 1 drained`;
  expect([...outcomes].sort()).toEqual(
    [together, apart].flatMap((of) => [of('readiness', 'startup'), of('startup', 'readiness')]).sort(),
  );
});
