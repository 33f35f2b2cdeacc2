import { expect, test } from 'vitest';
import { createVirtualClock } from '../../base/clock/virtual-clock.js';
import { createRandom } from '../../base/random/random.js';
import type { RuntimeClient } from '../client/client.js';
import { createPodCache, emptyStatus } from './cache.js';
import { createEventChannel } from './channel.js';
import { createGenericPleg } from './generic.js';
import { noPlegMetrics } from './metrics.js';

/** A generic PLEG with this list of sandboxes. */
function setup(listSandboxes: RuntimeClient['listSandboxes']) {
  const clock = createVirtualClock();
  const client: Partial<RuntimeClient> = { listSandboxes, listContainers: async () => [] };
  const pleg = createGenericPleg({
    clock,
    random: createRandom(1),
    client: client as RuntimeClient,
    order: 'newest first',
    cache: createPodCache({ clock, refuseOlder: false, miss: 'wait' }),
    channel: createEventChannel(() => {}),
    metrics: noPlegMetrics,
    inspect: async ({ uid }) => emptyStatus(uid),
    skipRefused: false,
    syncsReinspected: true,
    reinspectsLast: false,
    onDemand: true,
    period: 1000,
    threshold: 180_000,
    log: () => {},
    report: () => {},
  });
  return { clock, pleg };
}

test('a request made before a relist does not replace one made during it', async () => {
  const asked: string[] = [];
  const { clock, pleg } = setup(async ({ labelSelector } = {}) => {
    const uid = Object.values(labelSelector ?? {})[0];
    asked.push(uid ?? 'all');
    if (uid === undefined) pleg.requestRelist('a');
    return [];
  });
  pleg.requestRelist('a');
  pleg.start();
  await clock.advance(500);
  pleg.stop();
  expect(asked).toEqual(['all', 'a']);
});

test('a relist finds what the runtime does in its instant', async () => {
  const did: string[] = [];
  const { clock, pleg } = setup(async () => {
    did.push(`list at ${clock.elapsed()}`);
    return [];
  });
  pleg.start();
  await clock.advance(500);
  clock.setTimer(500, () => {
    did.push(`end at ${clock.elapsed()}`);
  });
  await clock.advance(500);
  pleg.stop();
  expect(did).toEqual(['list at 0', 'end at 1000', 'list at 1000']);
});
