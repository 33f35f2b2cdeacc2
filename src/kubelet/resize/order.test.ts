import { expect, test } from 'vitest';
import { aContainer, aPod } from '../../../test/support/kubelet/objects.js';
import { createVirtualClock } from '../../base/clock/virtual-clock.js';
import { kubeletVersion } from '../config/version.js';
import type { Pod } from '../kubernetes/pod.js';
import type { Resources } from '../kubernetes/resources.js';
import { createResourceRecord } from '../resources/resource-record.js';
import { createAllocations } from './allocations.js';
import { createResizeConditions } from './resize-conditions.js';
import { inTurn } from './resizes.js';

const amounts = (cpu: string) => ({ cpu, memory: '1Gi' });
const podOf = (uid: string, resources: Resources, priority = 0): Pod =>
  aPod({ priority, containers: [aContainer({ resources })] }, { uid });
const burstable = (cpu: string): Resources => ({ requests: amounts(cpu), limits: {} });

test('less comes first, then priority, then guaranteed pods, then those that have waited longer', async () => {
  const clock = createVirtualClock();
  const conditions = createResizeConditions(clock);
  const allocations = createAllocations(createResourceRecord(), kubeletVersion('1.36'));
  const pods = [
    podOf('late', burstable('2')),
    podOf('early', burstable('2')),
    podOf('guaranteed', { requests: amounts('2'), limits: amounts('2') }),
    podOf('important', burstable('2'), 1000),
    podOf('less', burstable('500m')),
  ];
  for (const { metadata } of pods) allocations.set(podOf(metadata.uid, burstable('1')));
  const wait = (uid: string) => conditions.setPending(podOf(uid, burstable('2')), 'OutOfcpu', 'full');
  wait('early');
  await clock.advance(1000);
  wait('late');
  expect(inTurn(pods, allocations, conditions)).toEqual(['less', 'important', 'guaranteed', 'early', 'late']);
});
