import { expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/base/clock/virtual-clock.js';
import type { ContainerExit, Inventory } from '../../../src/runtime/engine/backend.js';
import type { Context } from '../context.js';
import type { DockerEvent } from '../daemon/monitor.js';
import { Pods } from './pods.js';

const missing = Object.assign(new Error('no such container'), { statusCode: 404 });
const die = { id: 'c1', kind: 'container', action: 'die', exit: { exitCode: 137, finishedAt: 7n } };
const destroy = { ...die, action: 'destroy' };

/** The running container c1, which somebody removes from Docker; `known` settles once Docker answers that. */
async function removedByHand(known: Promise<void> = Promise.resolve()) {
  const reports: (ContainerExit | string)[] = [];
  const refuse = () => known.then(() => Promise.reject(missing));
  const clock = createVirtualClock();
  const context = {
    clock,
    docker: { getContainer: () => ({ inspect: refuse, kill: refuse }) },
    host: {
      containerExited: (exit: ContainerExit) => reports.push(exit),
      containerVanished: (id: string) => reports.push(`${id} vanished`),
    },
    untilConnected: async () => {},
    warn: () => {},
  } as unknown as Context;
  const pods = new Pods(() => context);
  const container = {
    spec: { id: 'c1', config: { mounts: [] } },
    runtime: { stopSignal: 15 },
    state: 'running',
    startedAt: 1n,
  };
  await pods.adopt({ sandboxes: [], containers: [container] } as unknown as Inventory);
  return { pods, reports, clock, event: (event: object) => pods.event(event as DockerEvent) };
}

const stop = (pods: Pods) => pods.stopContainer('c1', 0, new AbortController().signal);

it('reports the exit of a container that a user removes, and then that it vanished', async () => {
  const { reports, event, clock } = await removedByHand();
  event(die);
  event(destroy);
  await clock.runUntil(() => reports.length === 2, 1000);
  expect(reports).toEqual([{ containerId: 'c1', exitCode: 137, finishedAt: 7n }, 'c1 vanished']);
});

it('stops a container whose removal by a user is in progress only after its exit was reported', async () => {
  let answer = () => {};
  const known = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const { pods, reports, event } = await removedByHand(known);
  event(die);
  event(destroy);
  const stopped = stop(pods).then(() => reports.slice());
  answer();
  expect(await stopped).toContainEqual({ containerId: 'c1', exitCode: 137, finishedAt: 7n });
});

it('reports the exit of a container that a user removed without a sign of its end', async () => {
  const { pods, reports, event } = await removedByHand();
  event(destroy);
  await stop(pods);
  expect(reports[0]).toMatchObject({ containerId: 'c1', exitCode: 255, reason: 'Unknown' });
});

it('stops a container that Docker has no more', async () => {
  const { pods, reports, event, clock } = await removedByHand();
  event(destroy);
  await clock.runUntil(() => reports.length === 2, 1000);
  await stop(pods);
  expect(reports.at(-1)).toMatchObject({ containerId: 'c1', exitCode: 255, reason: 'Unknown' });
});
