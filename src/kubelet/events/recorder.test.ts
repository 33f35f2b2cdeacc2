import { expect, test } from 'vitest';
import { aContainer, aPod } from '../../../test/support/kubelet/objects.js';
import { createVirtualClock } from '../../base/clock/virtual-clock.js';
import type { KubeEvent } from '../types/ports.js';
import { createRecorder } from './recorder.js';

test('an event names its object, and repeated events stay separate', async () => {
  const clock = createVirtualClock();
  const events: KubeEvent[] = [];
  const recorder = createRecorder(clock, (event) => events.push(event));
  const setup = aContainer({ name: 'setup' });
  const app = aContainer();
  const pod = aPod({ initContainers: [setup], containers: [app] });
  const start = clock.now();
  recorder.event(pod, 'Normal', 'Created', 'Container created', setup);
  await clock.advance(1000);
  recorder.event(pod, 'Warning', 'BackOff', 'again', app);
  recorder.event(pod, 'Warning', 'FailedSync', 'whole pod');
  expect(events.map(({ sequence, field, reason }) => [sequence, field, reason])).toEqual([
    [1, 'spec.initContainers{setup}', 'Created'],
    [2, 'spec.containers{app}', 'BackOff'],
    [3, '', 'FailedSync'],
  ]);
  expect(events[1]).toMatchObject({
    time: start + 1_000_000_000n,
    uid: 'uid-1',
    pod: 'web',
    namespace: 'default',
  });
});
