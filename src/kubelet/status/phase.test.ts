import { expect, test } from 'vitest';
import { aPod } from '../../../test/support/kube-objects.js';
import { failed, statusOf } from '../../../test/support/pod-status.js';

test('a terminal phase stays', () => {
  const pod = aPod({ restartPolicy: 'Never' });
  const previous = statusOf({ pod, containers: [failed] });
  expect(statusOf({ pod, previous, containers: [{}] }).phase).toBe('Failed');
});
