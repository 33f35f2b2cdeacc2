import { expect, test } from 'vitest';
import { aContainer, aPod } from '../../../test/support/kubelet/objects.js';
import { createVirtualClock } from '../../base/clock/virtual-clock.js';
import { createTerminationOrder } from './termination-order.js';

const sidecar = (name: string) => aContainer({ name, restartPolicy: 'Always' });

/** Sidecars a, b and c, and the regular container app. `running` lists those that run. */
function setup(running: readonly string[]) {
  const clock = createVirtualClock();
  const pod = aPod({ initContainers: [sidecar('a'), sidecar('b'), sidecar('c')] });
  const order = createTerminationOrder(pod, running, clock);
  const turns: string[] = [];
  const wait = (name: string, grace: number) =>
    clock.run(async () => turns.push(`${name} after ${await order.waitForTurn(name, grace)} s`));
  return { clock, order, turns, wait };
}

test('sidecars end in the reverse order of their start, after the regular containers', async () => {
  const { clock, order, turns, wait } = setup(['app', 'a', 'b', 'c']);
  const all = ['a', 'b', 'c', 'app'].map((name) => wait(name, 30));
  for (const name of ['app', 'c', 'b']) {
    await clock.advance(1000);
    order.ended(name);
  }
  await clock.advance(0);
  await Promise.all(all);
  expect(turns).toEqual(['app after 0 s', 'c after 1 s', 'b after 2 s', 'a after 3 s']);
});

test('a sidecar waits only for the next one, and not for those behind one that does not run', async () => {
  const { clock, turns, wait } = setup(['a', 'c']);
  await Promise.all([wait('a', 30), clock.advance(0)]);
  expect(turns).toEqual(['a after 0 s']);
});

test('a sidecar waits at most its own grace period, then the sidecar before it can end', async () => {
  const { clock, order, turns, wait } = setup(['a', 'b', 'c']);
  const all = [wait('a', 30), wait('b', 5)];
  await clock.advance(5000);
  order.ended('b');
  await clock.advance(0);
  await Promise.all(all);
  expect(turns).toEqual(['b after 5 s', 'a after 5 s']);
});
