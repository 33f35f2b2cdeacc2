import { expect, test } from 'vitest';
import { createVirtualClock } from '../../clock/virtual-clock.js';
import type { RuntimeClient } from '../client/client.js';
import { createPodCache, emptyStatus } from './cache.js';
import { createEventChannel } from './channel.js';
import { createGenericPleg } from './generic.js';
import { noPlegMetrics } from './metrics.js';

test('a request made before a relist does not replace one made during it', async () => {
  const clock = createVirtualClock();
  const asked: string[] = [];
  const client: Partial<RuntimeClient> = {
    listSandboxes: async ({ labelSelector } = {}) => {
      const uid = Object.values(labelSelector ?? {})[0];
      asked.push(uid ?? 'all');
      if (uid === undefined) pleg.requestRelist('a');
      return [];
    },
    listContainers: async () => [],
  };
  const pleg = createGenericPleg({
    clock,
    client: client as RuntimeClient,
    cache: createPodCache({ clock, refuseOlder: false, miss: 'wait' }),
    channel: createEventChannel(() => {}),
    metrics: noPlegMetrics,
    inspect: async ({ uid }) => emptyStatus(uid),
    skipRefused: false,
    syncsReinspected: true,
    onDemand: true,
    period: 1000,
    threshold: 180_000,
    log: () => {},
    report: () => {},
  });
  pleg.requestRelist('a');
  pleg.start();
  await clock.advance(500);
  pleg.stop();
  expect(asked).toEqual(['all', 'a']);
});
