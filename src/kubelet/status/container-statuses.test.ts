import { describe, expect, test } from 'vitest';
import { aContainer, aPod } from '../../../test/support/kube-objects.js';
import { done, failed, init, statusOf } from '../../../test/support/pod-status.js';

describe('container statuses', () => {
  test('the second newest instance is the last state', () => {
    const { containerStatuses } = statusOf({
      containers: [
        { id: 'c3', restartCount: 2 },
        { ...failed, id: 'c2', restartCount: 1 },
        { ...done, id: 'c1' },
      ],
    });
    expect(containerStatuses[0]).toMatchObject({
      restartCount: 2,
      containerID: 'mockri://c3',
      state: { kind: 'running' },
      lastState: { kind: 'terminated', exitCode: 1, containerID: 'mockri://c2' },
    });
  });

  test('a container that vanished while it ran is lost, and counted', () => {
    const previous = statusOf({ containers: [{ restartCount: 4 }] });
    const [lost] = statusOf({ previous }).containerStatuses;
    expect(lost).toMatchObject({
      restartCount: 5,
      lastState: {
        kind: 'terminated',
        exitCode: 137,
        reason: 'ContainerStatusUnknown',
        message:
          'The container could not be located when the pod was deleted.  The container used to be Running',
      },
    });
  });

  test('an init container that was removed after its work stays completed', () => {
    const pod = aPod({ initContainers: [init] });
    const { initContainerStatuses } = statusOf({ pod, containers: [{}] });
    expect(initContainerStatuses[0]?.state).toMatchObject({
      kind: 'terminated',
      reason: 'Completed',
      exitCode: 0,
    });
  });

  test('all containers that are restarted together count as restarted', () => {
    const rule = { action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [88] } } as const;
    const side = aContainer({ name: 'side' });
    const app = aContainer({ name: 'app', restartPolicy: 'Never', restartPolicyRules: [rule] });
    const pod = aPod({ containers: [app, side] });
    const previous = statusOf({ pod, containers: [{}, { name: 'side' }] });
    const status = statusOf({ pod, previous, containers: [{ state: 'exited', exitCode: 88 }] });
    expect(status.containerStatuses[1]).toMatchObject({
      restartCount: 1,
      state: { kind: 'waiting', reason: 'RestartingAllContainers' },
      lastState: { kind: 'terminated', exitCode: 137 },
    });
    expect(status.conditions.at(-1)).toMatchObject({ type: 'AllContainersRestarting', status: 'True' });
  });

  test('are sorted by name', () => {
    const pod = aPod({ containers: [aContainer({ name: 'b' }), aContainer({ name: 'a' })] });
    expect(statusOf({ pod }).containerStatuses.map(({ name }) => name)).toEqual(['a', 'b']);
  });
});
