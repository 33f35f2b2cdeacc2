import { expect, test } from 'vitest';
import { createVirtualClock } from '../../base/clock/virtual-clock.js';
import { createRandom } from '../../base/random/random.js';
import type { Problem } from '../types/reports.js';
import { createNodeStatus } from './node-status.js';

function setup(errors: Problem[] = [], clock = createVirtualClock()) {
  const reports: string[] = [];
  const renewals: number[] = [];
  const node = createNodeStatus({
    clock,
    random: createRandom(1),
    minor: 36,
    updateFrequency: 10_000,
    reportFrequency: 300_000,
    leaseDurationSeconds: 40,
    errors: () => errors,
    report: ({ status, message }) => reports.push(`${clock.elapsed() / 1000} ${status} ${message}`),
    renew: () => renewals.push(clock.elapsed()),
    changed: () => {},
  });
  node.start();
  return { clock, node, reports, renewals };
}

test('a node reports that it became ready within a tenth of a second', async () => {
  const errors: Problem[] = [{ what: 'runtime-down', text: 'the runtime is down' }];
  const { clock, node, reports } = setup(errors);
  await clock.advance(1050);
  errors.pop();
  await clock.advance(50);
  expect(reports).toEqual(['0 False the runtime is down', '1.1 True kubelet is posting ready status']);
  node.stop();
});

test('the lease is renewed every quarter of its duration, and up to 4 % later', async () => {
  const { clock, node, renewals } = setup();
  await clock.advance(100_000);
  const gaps = renewals.slice(1).map((at, index) => at - (renewals[index] ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(10_000);
  expect(Math.max(...gaps)).toBeLessThan(10_400);
  expect(new Set(gaps).size).toBe(gaps.length);
  node.stop();
});

test('nothing waits any more once it is stopped', async () => {
  const virtual = createVirtualClock();
  let waiting = 0;
  const sleep: typeof virtual.sleep = async (...given) => {
    waiting++;
    await virtual.sleep(...given).finally(() => waiting--);
  };
  const { clock, node } = setup([], { ...virtual, sleep });
  await clock.advance(20_000);
  expect(waiting).toBe(2);
  node.stop();
  await clock.advance(0);
  expect(waiting).toBe(0);
});
