import { expect, test } from 'vitest';
import { createVirtualClock } from '../../base/clock/virtual-clock.js';
import { createRandom } from '../../base/random/random.js';
import type { RuntimeClient } from '../client/client.js';
import { noFiles } from '../disk/files.js';
import { createPodCache } from './cache.js';
import { createEventChannel } from './channel.js';
import { createEventedPleg } from './evented.js';
import type { GenericPleg } from './generic.js';
import { noPlegMetrics } from './metrics.js';

test('it is healthy, and last seen now, unless its channel is full', () => {
  const clock = createVirtualClock();
  const channel = createEventChannel(() => {});
  const seen: number[] = [];
  const pleg = createEventedPleg({
    clock,
    random: createRandom(1),
    client: {} as RuntimeClient,
    files: noFiles,
    cache: createPodCache({ clock, refuseOlder: true, miss: 'wait' }),
    channel,
    generic: {} as GenericPleg,
    metrics: { ...noPlegMetrics, lastSeen: (time) => seen.push(time) },
    design: 'A',
    log: () => {},
    report: () => {},
  });
  expect(pleg.health()).toBeUndefined();
  expect(seen).toEqual([Number(clock.now() / 1_000_000_000n)]);
  while (channel.send({ uid: 'a', type: 'ContainerDied', data: 'c1' }));
  expect(pleg.health()).toBe('EventedPLEG: pleg event channel capacity is full with 1000 events');
  expect(seen).toHaveLength(1);
});
