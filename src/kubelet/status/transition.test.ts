import { expect, test } from 'vitest';
import { aContainer, aPod } from '../../../test/support/kubelet/objects.js';
import { done, failed, init, sidecar, statusOf } from '../../../test/support/kubelet/pod-status.js';
import { kubeletVersion } from '../config/version.js';
import type { PodSpec } from '../kubernetes/pod.js';
import type { RuntimeContainerStatus } from '../types/runtime-status.js';
import { isLegalTransition } from './transition.js';

type Containers = Partial<RuntimeContainerStatus>[];

const mayFollow = (
  spec: Partial<PodSpec>,
  before: Containers,
  after: Containers,
  version = kubeletVersion('1.36'),
) => {
  const pod = aPod(spec);
  const [old, made] = [before, after].map((containers) => statusOf({ pod, containers }));
  return old !== undefined && made !== undefined && isLegalTransition(pod, old, made, version);
};
const own = (given: Parameters<typeof aContainer>[0]) => ({ containers: [aContainer(given)] });
const rule = (action: 'Restart' | 'RestartAllContainers') =>
  ({ action, exitCodes: { operator: 'In', values: [1] } }) as const;

test('a container restarts according to its policy and rules', () => {
  expect(mayFollow({ restartPolicy: 'Always' }, [done], [{}])).toBe(true);
  expect(mayFollow({ restartPolicy: 'OnFailure' }, [failed], [{}])).toBe(true);
  expect(mayFollow({ restartPolicy: 'OnFailure' }, [done], [{}])).toBe(false);
  expect(mayFollow({ restartPolicy: 'Never' }, [failed], [{}])).toBe(false);
  expect(mayFollow({ restartPolicy: 'Never' }, [failed], [failed])).toBe(true);
  expect(mayFollow({ restartPolicy: 'Never' }, [{}], [{ state: 'created' }])).toBe(true);
  expect(mayFollow({ restartPolicy: 'Never', ...own({ restartPolicy: 'Always' }) }, [done], [{}])).toBe(true);
});

test('a rule applies only while its gate is on; a rule for all containers applies to all of them', () => {
  const restart = { restartPolicy: 'Never', restartPolicyRules: [rule('Restart')] } as const;
  expect(mayFollow({ restartPolicy: 'Never', ...own(restart) }, [failed], [{}])).toBe(true);
  const old = kubeletVersion('1.34');
  expect(mayFollow({ restartPolicy: 'Never', ...own(restart) }, [failed], [{}], old)).toBe(false);
  const all = { restartPolicy: 'Never', restartPolicyRules: [rule('RestartAllContainers')] } as const;
  expect(mayFollow({ restartPolicy: 'Never', ...own(all) }, [done], [{}])).toBe(true);
});

test('init containers that run again in a new sandbox are hidden, sidecars are shown', () => {
  const setup = { name: 'setup' };
  const again = (spec: Partial<PodSpec>) =>
    mayFollow({ initContainers: [init], ...spec }, [{}, { ...setup, ...done }], [failed, setup]);
  expect(again({ restartPolicy: 'OnFailure' })).toBe(false);
  expect(again({ restartPolicy: 'Always' })).toBe(true);
  const proxy = { name: 'proxy' };
  expect(
    mayFollow({ initContainers: [sidecar], restartPolicy: 'Never' }, [{ ...proxy, ...done }], [proxy]),
  ).toBe(true);
});
