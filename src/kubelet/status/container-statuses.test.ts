import { describe, expect, test } from 'vitest';
import { aContainer, aPod } from '../../../test/support/kubelet/objects.js';
import { done, failed, init, statusOf } from '../../../test/support/kubelet/pod-status.js';
import { kubeletVersion } from '../config/version.js';
import { endContainers } from './container-statuses.js';

describe('container statuses', () => {
  test('the second newest instance is the last state', () => {
    const { containerStatuses } = statusOf({
      containers: [
        { id: 'c3', restartCount: 2, createdAt: 3n },
        { ...failed, id: 'c2', restartCount: 1, createdAt: 2n },
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

  test('a container that vanished while running is lost, and counts as a restart', () => {
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

  test('before 1.36 an unknown init container counts as waiting', () => {
    const pod = aPod({ initContainers: [init] });
    const input = { version: kubeletVersion('1.35') };
    const { initContainerStatuses, phase } = statusOf({ pod, containers: [{}], input });
    expect(initContainerStatuses[0]?.state).toMatchObject({ kind: 'waiting', reason: 'PodInitializing' });
    expect(phase).toBe('Pending');
  });

  test('a finished init container does not show an old start failure', () => {
    const pod = aPod({ initContainers: [init] });
    const { initContainerStatuses } = statusOf({
      pod,
      containers: [{}],
      waiting: { setup: 'CrashLoopBackOff' },
    });
    expect(initContainerStatuses[0]?.state).toMatchObject({ kind: 'terminated', reason: 'Completed' });
  });

  test('the newest instance is the one created last, whatever the runtime’s order', () => {
    const containers = [
      { ...failed, id: 'c1', createdAt: 1n },
      { id: 'c2', createdAt: 2n },
    ];
    expect(statusOf({ containers }).containerStatuses[0]).toMatchObject({
      containerID: 'mockri://c2',
      lastState: { kind: 'terminated', containerID: 'mockri://c1' },
    });
  });

  describe('that all restart together', () => {
    const rule = { action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [88] } } as const;
    const side = aContainer({ name: 'side' });
    const app = aContainer({ name: 'app', restartPolicy: 'Never', restartPolicyRules: [rule] });
    const exits = { state: 'exited', exitCode: 88 } as const;

    test('count as restarted', () => {
      const pod = aPod({ containers: [app, side] });
      const previous = statusOf({ pod, containers: [{}, { name: 'side' }] });
      const status = statusOf({ pod, previous, containers: [exits] });
      expect(status.containerStatuses[1]).toMatchObject({
        restartCount: 1,
        state: { kind: 'waiting', reason: 'RestartingAllContainers' },
        lastState: { kind: 'terminated', exitCode: 137 },
      });
      expect(status.conditions.at(-1)).toMatchObject({ type: 'AllContainersRestarting', status: 'True' });
    });

    test('are shown so even in unknown state', () => {
      const pod = aPod({ containers: [app, side] });
      const previous = statusOf({ pod, containers: [{}, { name: 'side' }] });
      const status = statusOf({ pod, previous, containers: [exits, { name: 'side', state: 'unknown' }] });
      expect(status.containerStatuses[1]?.state).toMatchObject({
        kind: 'terminated',
        reason: 'RestartingAllContainers',
      });
    });

    test('an ended container keeps its state', () => {
      const pod = aPod({ containers: [app], initContainers: [init] });
      const setup = { ...done, name: 'setup', id: 'c0' } as const;
      const ran = statusOf({ pod, containers: [{}, setup] });
      const previous = statusOf({ pod, previous: ran, containers: [exits, setup] });
      const { initContainerStatuses } = statusOf({ pod, previous });
      expect(initContainerStatuses[0]).toMatchObject({
        state: { kind: 'waiting', reason: 'RestartingAllContainers' },
        containerID: 'mockri://c0',
        imageID: 'sha256:1',
        ready: true,
        restartCount: 1,
      });
    });

    test('a removed init container counts as done once regular ones exist', () => {
      const pod = aPod({ containers: [app], initContainers: [init] });
      const previous = statusOf({ pod, containers: [{}, { ...done, name: 'setup' }] });
      const { initContainerStatuses } = statusOf({ pod, previous, containers: [exits] });
      expect(initContainerStatuses[0]).toMatchObject({
        state: { kind: 'terminated', reason: 'Completed', exitCode: 0 },
        lastState: { kind: 'terminated', reason: 'RestartingAllContainers' },
        restartCount: 1,
      });
    });
  });

  test('the final status of a pod that never ran is Failed, except for a static pod', () => {
    const pod = aPod();
    const status = statusOf({ pod });
    expect(endContainers(pod, status, true).phase).toBe('Pending');
    expect(endContainers({ ...pod, source: 'api' }, status, true).phase).toBe('Failed');
    const succeeded = { ...status, phase: 'Succeeded' } as const;
    expect(endContainers({ ...pod, source: 'api' }, succeeded, true).phase).toBe('Succeeded');
  });

  test('are sorted by name', () => {
    const pod = aPod({ containers: [aContainer({ name: 'b' }), aContainer({ name: 'a' })] });
    expect(statusOf({ pod }).containerStatuses.map(({ name }) => name)).toEqual(['a', 'b']);
  });
});
