import { expect, test } from 'vitest';
import { aPod } from '../../../test/support/kubelet/objects.js';
import { failed, sidecar, statusOf } from '../../../test/support/kubelet/pod-status.js';

test('a terminal phase stays', () => {
  const pod = aPod({ restartPolicy: 'Never' });
  const previous = statusOf({ pod, containers: [failed] });
  expect(statusOf({ pod, previous, containers: [{}] }).phase).toBe('Failed');
});

test('a sidecar that has just restarted in a new sandbox delays the phase until the next sync', () => {
  const pod = aPod({ initContainers: [sidecar] });
  const app = { ...failed, active: false };
  const stopped = statusOf({ pod, containers: [app, { ...failed, name: 'proxy', id: 'p1', active: false }] });
  const proxy = [app, { name: 'proxy', id: 'p2', createdAt: 2n }];
  const back = statusOf({ pod, previous: stopped, containers: proxy });
  expect(back.initContainerStatuses[0]).toMatchObject({ started: true });
  expect(back.phase).toBe('Pending');
  expect(statusOf({ pod, previous: back, containers: proxy }).phase).toBe('Running');
});
