import { describe, expect, test } from 'vitest';
import { aContainer, aPod, aRuntimeContainer, aRuntimeStatus } from '../../../test/support/kube-objects.js';
import { versionProfile } from '../config/profile.js';
import type { Pod, PodApiStatus, RuntimeContainerStatus } from '../types.js';
import { generateStatus, refreshReadiness, type StatusInput } from './generate.js';
import { humanDuration } from './human-duration.js';
import { podRow } from './row.js';

const NOW = 1_767_225_600_000_000_000n;
const SECOND = 1_000_000_000n;

interface Given {
  pod?: Pod;
  containers?: Partial<RuntimeContainerStatus>[];
  previous?: PodApiStatus;
  waiting?: Record<string, string>;
  ready?: boolean;
  input?: Partial<StatusInput>;
}

/** All running containers are ready and started unless said otherwise. */
function statusOf({
  pod = aPod(),
  containers = [],
  previous,
  waiting = {},
  ready = true,
  input = {},
}: Given) {
  return generateStatus({
    pod,
    runtime: aRuntimeStatus(containers.map(aRuntimeContainer)),
    previous,
    reasons: {
      get: (_uid, name) =>
        waiting[name] === undefined ? undefined : { reason: waiting[name], message: 'why' },
    },
    profile: versionProfile('1.36'),
    runtimeName: 'mockri',
    hostIp: '',
    now: NOW,
    terminal: false,
    sandboxChanged: false,
    evicted: undefined,
    willRestart: ({ name }) => {
      const newest = containers.find((each) => (each.name ?? 'app') === name);
      if (newest === undefined) return true;
      if (newest.state !== 'exited') return newest.state === 'created' || newest.state === 'unknown';
      return restarts(pod, newest.exitCode ?? 0);
    },
    restartsOn: (_container, exitCode) => restarts(pod, exitCode),
    probe: (status) => ({
      ...status,
      containerStatuses: status.containerStatuses.map((each) =>
        each.state.kind === 'running' ? { ...each, ready, started: true } : each,
      ),
      initContainerStatuses: status.initContainerStatuses.map((each) => {
        if (each.state.kind === 'terminated') return { ...each, ready: each.state.exitCode === 0 };
        return each.state.kind === 'running' ? { ...each, ready, started: true } : each;
      }),
    }),
    ...input,
  });
}

const restarts = ({ spec }: Pod, exitCode: number): boolean =>
  spec.restartPolicy === 'Always' || (spec.restartPolicy === 'OnFailure' && exitCode !== 0);

/** READY STATUS RESTARTS phase */
function row(given: Given): string {
  const pod = given.pod ?? aPod();
  const status = statusOf(given);
  const shown = podRow(pod, status, NOW);
  return `${shown.ready} ${shown.status} ${shown.restartsText} ${status.phase}`;
}

const failed = { state: 'exited', exitCode: 1, reason: 'Error', finishedAt: NOW - 12n * SECOND } as const;
const done = { state: 'exited', exitCode: 0, reason: 'Completed', finishedAt: NOW - 12n * SECOND } as const;
const init = aContainer({ name: 'setup' });
const sidecar = aContainer({ name: 'proxy', restartPolicy: 'Always' });

describe('the row of kubectl get pod', () => {
  const never = aPod({ restartPolicy: 'Never' });
  const onFailure = aPod({ restartPolicy: 'OnFailure' });
  const two = aPod({ containers: [aContainer(), aContainer({ name: 'web' })] });
  const deleted = aPod({}, { deletionTimestamp: NOW });
  const cases: [string, Given, string][] = [
    ['nothing yet', {}, '0/1 ContainerCreating 0 Pending'],
    ['created only', { containers: [{ state: 'created' }] }, '0/1 Pending 0 Pending'],
    ['runs', { containers: [{}] }, '1/1 Running 0 Running'],
    ['runs, not ready', { containers: [{}], ready: false }, '0/1 Running 0 Running'],
    ['failed', { containers: [failed] }, '0/1 Error 0 Running'],
    ['ended well', { containers: [done] }, '0/1 Completed 0 Running'],
    [
      'in back-off',
      { containers: [{ ...failed, restartCount: 3 }], waiting: { app: 'CrashLoopBackOff' } },
      '0/1 CrashLoopBackOff 3 (12s ago) Running',
    ],
    ['restarted', { containers: [{ restartCount: 1 }, failed] }, '1/1 Running 1 (12s ago) Running'],
    ['pull failed', { waiting: { app: 'ErrImagePull' } }, '0/1 ErrImagePull 0 Pending'],
    ['Never, failed', { pod: never, containers: [failed] }, '0/1 Error 0 Failed'],
    ['Never, ended well', { pod: never, containers: [done] }, '0/1 Completed 0 Succeeded'],
    ['OnFailure, ended well', { pod: onFailure, containers: [done] }, '0/1 Completed 0 Succeeded'],
    ['OnFailure, failed', { pod: onFailure, containers: [failed] }, '0/1 Error 0 Running'],
    [
      'out of memory',
      { containers: [{ ...failed, exitCode: 137, reason: 'OOMKilled' }] },
      '0/1 OOMKilled 0 Running',
    ],
    ['no reason', { containers: [{ ...failed, reason: '' }] }, '0/1 ExitCode:1 0 Running'],
    ['deleted', { pod: deleted, containers: [{}] }, '1/1 Terminating 0 Running'],
    ['one of two failed', { pod: two, containers: [failed, { name: 'web' }] }, '1/2 Error 0 Running'],
    [
      'one of two is done, Ready',
      { pod: two, containers: [done, { name: 'web' }] },
      '1/2 NotReady 0 Running',
    ],
    [
      'one of two is done, the other failed',
      { pod: two, containers: [done, { ...failed, name: 'web' }] },
      '0/2 Error 0 Running',
    ],
  ];
  test.each(cases)('%s', (_name, given, expected) => expect(row(given)).toBe(expected));
});

describe('the row of a pod with init containers', () => {
  const pod = aPod({ initContainers: [init, aContainer({ name: 'second' })] });
  const never = aPod({ initContainers: [init], restartPolicy: 'Never' });
  const mesh = aPod({ initContainers: [sidecar] });
  const cases: [string, Given, string][] = [
    ['nothing yet', { pod }, '0/1 Init:0/2 0 Pending'],
    ['first runs', { pod, containers: [{ name: 'setup' }] }, '0/1 Init:0/2 0 Pending'],
    ['first is done', { pod, containers: [{ ...done, name: 'setup' }] }, '0/1 Init:1/2 0 Pending'],
    ['first failed', { pod, containers: [{ ...failed, name: 'setup' }] }, '0/1 Init:Error 0 Pending'],
    [
      'first in back-off',
      {
        pod,
        containers: [
          { ...failed, name: 'setup', restartCount: 2 },
          { ...failed, name: 'setup' },
        ],
        waiting: { setup: 'CrashLoopBackOff' },
      },
      '0/1 Init:CrashLoopBackOff 2 (12s ago) Pending',
    ],
    [
      'failed for good',
      { pod: never, containers: [{ ...failed, name: 'setup' }] },
      '0/1 Init:Error 0 Failed',
    ],
    [
      'all done',
      {
        pod,
        containers: [
          { ...done, name: 'setup' },
          { ...done, name: 'second' },
        ],
      },
      '0/1 PodInitializing 0 Pending',
    ],
    [
      'runs',
      { pod, containers: [{}, { ...done, name: 'setup' }, { ...done, name: 'second' }] },
      '1/1 Running 0 Running',
    ],
    ['sidecar starts', { pod: mesh }, '0/2 Init:0/1 0 Pending'],
    ['sidecar runs', { pod: mesh, containers: [{ name: 'proxy' }] }, '1/2 PodInitializing 0 Pending'],
    ['both run', { pod: mesh, containers: [{}, { name: 'proxy' }] }, '2/2 Running 0 Running'],
    [
      'sidecar failed while the pod runs',
      { pod: mesh, containers: [{}, { ...failed, name: 'proxy', restartCount: 1 }] },
      '1/2 Init:Error 1 Running',
    ],
  ];
  test.each(cases)('%s', (_name, given, expected) => expect(row(given)).toBe(expected));
});

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

describe('conditions', () => {
  const shown = (given: Given) =>
    statusOf(given).conditions.map(({ type, status, reason, message }) =>
      [type, status, reason, message].filter((part) => part !== undefined).join(' '),
    );

  test('of a new pod', () => {
    expect(shown({ pod: aPod({ initContainers: [init] }), input: { sandboxChanged: true } })).toEqual([
      'PodReadyToStartContainers False',
      'Initialized False ContainersNotInitialized containers with incomplete status: [setup]',
      'Ready False ContainersNotReady containers with unready status: [app]',
      'ContainersReady False ContainersNotReady containers with unready status: [app]',
      'PodScheduled True',
    ]);
  });

  test('of a pod that is done', () => {
    expect(shown({ pod: aPod({ restartPolicy: 'Never' }), containers: [done] })).toEqual([
      'PodReadyToStartContainers True',
      'Initialized True PodCompleted',
      'Ready False PodCompleted',
      'ContainersReady False PodCompleted',
      'PodScheduled True',
    ]);
  });

  test('about readiness follow a probe before the next sync', () => {
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

  test('keep their time until they change; 1.28 has no sandbox condition', () => {
    const profile = versionProfile('1.28');
    const before = statusOf({ input: { now: NOW - 10n, profile } });
    const after = statusOf({ containers: [{}], previous: before, input: { profile } });
    expect(after.conditions.map(({ type, lastTransitionTime }) => [type, lastTransitionTime])).toEqual([
      ['Initialized', NOW - 10n],
      ['Ready', NOW],
      ['ContainersReady', NOW],
      ['PodScheduled', NOW - 10n],
    ]);
  });
});

test('a terminal phase stays', () => {
  const pod = aPod({ restartPolicy: 'Never' });
  const previous = statusOf({ pod, containers: [failed] });
  expect(statusOf({ pod, previous, containers: [{}] }).phase).toBe('Failed');
});

test.each([
  [0, '0s'],
  [-500, '0s'],
  [119_999, '119s'],
  [120_000, '2m'],
  [200_000, '3m20s'],
  [599_000, '9m59s'],
  [600_000, '10m'],
  [3 * 3_600_000, '3h'],
  [3 * 3_600_000 + 60_000, '3h1m'],
  [8 * 3_600_000 + 60_000, '8h'],
  [49 * 3_600_000, '2d1h'],
  [9 * 24 * 3_600_000, '9d'],
  [2 * 365 * 24 * 3_600_000 + 24 * 3_600_000, '2y1d'],
])('%d ms is %s to kubectl', (milliseconds, text) => expect(humanDuration(milliseconds)).toBe(text));
