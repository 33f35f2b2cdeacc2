import { describe, expect, test } from 'vitest';
import { aPod } from '../../../test/support/kubelet/objects.js';
import { done, type Given, init, NOW, statusOf } from '../../../test/support/kubelet/pod-status.js';
import { kubeletVersion } from '../config/version.js';
import { refreshReadiness } from './generate.js';

describe('conditions', () => {
  const shown = (given: Given) =>
    statusOf(given).conditions.map(({ type, status, reason, message }) =>
      [type, status, reason, message].filter((part) => part !== undefined).join(' '),
    );

  test('of a new pod', () => {
    expect(
      shown({ pod: aPod({ initContainers: [init] }), input: { sandboxProblem: 'no pod sandbox exists' } }),
    ).toEqual([
      'PodReadyToStartContainers False',
      'Initialized False ContainersNotInitialized containers with incomplete status: [setup]',
      'Ready False ContainersNotReady containers with unready status: [app]',
      'ContainersReady False ContainersNotReady containers with unready status: [app]',
      'PodScheduled True',
    ]);
  });

  test('without a sandbox say why from 1.37 on', () => {
    const version = kubeletVersion('1.37');
    const [first] = shown({ input: { sandboxProblem: 'pod sandbox is not ready', version } });
    expect(first).toBe('PodReadyToStartContainers False PodSandboxNotReady pod sandbox is not ready');
  });

  test('of a completed pod', () => {
    expect(shown({ pod: aPod({ restartPolicy: 'Never' }), containers: [done] })).toEqual([
      'PodReadyToStartContainers True',
      'Initialized True PodCompleted',
      'Ready False PodCompleted',
      'ContainersReady False PodCompleted',
      'PodScheduled True',
    ]);
  });

  test('about readiness change with a probe before the next sync', () => {
    const before = statusOf({ containers: [{}], input: { now: NOW - 10n } });
    const unready = before.containerStatuses.map((each) => ({ ...each, ready: false }));
    const after = refreshReadiness(aPod(), { ...before, containerStatuses: unready }, NOW);
    expect(
      after.conditions.map(({ type, status, lastTransitionTime }) => [type, status, lastTransitionTime]),
    ).toEqual([
      ['PodReadyToStartContainers', 'True', NOW - 10n],
      ['Initialized', 'True', NOW - 10n],
      ['Ready', 'False', NOW],
      ['ContainersReady', 'False', NOW],
      ['PodScheduled', 'True', NOW - 10n],
    ]);
  });

  test('keep their transition time until they change; 1.28 has no sandbox condition', () => {
    const version = kubeletVersion('1.28');
    const before = statusOf({ input: { now: NOW - 10n, version } });
    const after = statusOf({ containers: [{}], previous: before, input: { version } });
    expect(after.conditions.map(({ type, lastTransitionTime }) => [type, lastTransitionTime])).toEqual([
      ['Initialized', NOW - 10n],
      ['Ready', NOW],
      ['ContainersReady', NOW],
      ['PodScheduled', NOW - 10n],
    ]);
  });
});
