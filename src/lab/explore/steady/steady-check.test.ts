import { expect, test } from 'vitest';
import { createVirtualClock } from '../../../base/clock/virtual-clock.js';
import { createTape } from '../../../tape/tape.js';
import { keepTape } from '../../scenario/expect/kept-tape.js';
import { monitorRun } from './converged.js';
import { createSteadyCheck } from './steady-check.js';

const pod = { name: 'web', namespace: 'default' };
const container = { name: 'app', attempt: 0 };

/** A run in which a container starts at 1 s, and a kubelet that does this when it syncs now. */
async function running(onSync: (write: ReturnType<typeof createTape>['write']) => void) {
  const clock = createVirtualClock();
  const tape = createTape(clock);
  const monitor = monitorRun(tape, keepTape(tape));
  await clock.advance(1000);
  tape.write({ kind: 'container', pod, container, what: 'started' });
  const kubelet = { isIdle: true, syncNow: async () => onSync(tape.write) };
  const checkFrom = (over: number) => createSteadyCheck(monitor, monitor.steady(), over, () => kubelet);
  return { clock, tape, kubelet, checkFrom };
}

test('a check begins after eleven calm seconds and passes when nothing comes of it', async () => {
  const { clock, checkFrom } = await running(() => {});
  const check = checkFrom(3000);
  await clock.advance(12_999);
  expect(check.look()).toBe('waiting');
  await clock.advance(1);
  expect(check.look()).toBe('begun');
  await clock.advance(2999);
  expect(check.look()).toBe('waiting');
  await clock.advance(1);
  expect(check.look()).toBe('passed');
});

test('it fails when the kubelet does something, or is still at work', async () => {
  const acting = await running((write) => write({ kind: 'container', pod, container, what: 'ended' }));
  const acts = acting.checkFrom(0);
  await acting.clock.advance(20_000);
  expect(acts.look()).toBe('begun');
  expect(acts.look()).toBe('failed');

  const working = await running(() => {});
  const works = working.checkFrom(0);
  await working.clock.advance(20_000);
  expect(works.look()).toBe('begun');
  working.kubelet.isIdle = false;
  await working.clock.advance(3000);
  expect(works.look()).toBe('failed');
});

test('it does not begin in another state', async () => {
  const { clock, tape, checkFrom } = await running(() => {});
  const check = checkFrom(0);
  tape.write({ kind: 'container', pod, container, what: 'ended' });
  await clock.advance(60_000);
  expect(check.look()).toBe('waiting');
});
