import { expect, test } from 'vitest';
import { aContainer, aPod } from '../../../test/support/kubelet/objects.js';
import { failed, init, statusOf } from '../../../test/support/kubelet/pod-status.js';
import { normalizeStatus } from './normalize.js';

test('the containers of a pod share 12 KiB of termination messages, in bytes', () => {
  const names = ['a', 'b', 'c'];
  const pod = aPod({ initContainers: [init], containers: names.map((name) => aContainer({ name })) });
  const message = 'ä'.repeat(2000);
  const containers = [
    { name: 'a', id: 'a2', createdAt: 2n, ...failed, message },
    { name: 'a', id: 'a1', ...failed, message },
    { name: 'b', id: 'b1', ...failed, message: 'short' },
    { name: 'setup', id: 's1', ...failed, message },
  ];
  const { containerStatuses, initContainerStatuses } = normalizeStatus(pod, statusOf({ pod, containers }));
  const a = containerStatuses[0];
  for (const state of [a?.state, a?.lastState, initContainerStatuses[0]?.state]) {
    expect(state).toMatchObject({ message: 'ä'.repeat(1536) });
  }
  expect(containerStatuses[1]?.state).toMatchObject({ message: 'short' });
});
