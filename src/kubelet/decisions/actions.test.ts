import { describe, expect, test } from 'vitest';
import {
  aContainer,
  aPod,
  aRuntimeContainer,
  aRuntimeStatus,
} from '../../../test/support/kubelet/objects.js';
import { PodSandboxState, PodSandboxStatus } from '../../cri/gen/runtime/v1/api.js';
import { kubeletVersion } from '../config/version.js';
import type { Pod } from '../kubernetes/pod.js';
import type { RuntimeContainerStatus } from '../types/runtime-status.js';
import { computePodActions } from './actions.js';
import type { ActionInput } from './pod-actions.js';

interface Given extends Partial<Pick<ActionInput, 'probeResult' | 'actuated'>> {
  pod: Pod;
  containers?: readonly Partial<RuntimeContainerStatus>[];
  version?: string;
  sandbox?: PodSandboxState;
}

function decide({
  pod,
  containers = [],
  version = '1.36',
  sandbox = PodSandboxState.SANDBOX_READY,
  probeResult = () => undefined,
  actuated = () => undefined,
}: Given) {
  const sandboxes = [
    PodSandboxStatus.fromPartial({ id: 's1', state: sandbox, metadata: {}, network: { ip: '10.0.0.1' } }),
  ];
  const status = { ...aRuntimeStatus(containers.map(aRuntimeContainer)), sandboxes };
  const hashOf = () => '';
  return computePodActions({
    pod,
    status,
    version: kubeletVersion(version),
    probeResult,
    actuated,
    hashOf,
    restartingAll: false,
  });
}

const ended = (exitCode: number, reason = 'Error') => ({ state: 'exited', exitCode, reason }) as const;
const restartOn = (code: number) =>
  ({ action: 'Restart', exitCodes: { operator: 'In', values: [code] } }) as const;
const onFailure = aContainer({ restartPolicy: 'OnFailure', restartPolicyRules: [restartOn(0)] });

describe('a pod that lost its sandbox', () => {
  const sandbox = PodSandboxState.SANDBOX_NOTREADY;

  test('is not recreated when its restart policy is Never, whatever its containers’ policies', () => {
    const pod = aPod({ restartPolicy: 'Never', containers: [onFailure] });
    const actions = decide({ pod, sandbox, containers: [ended(1)] });
    expect(actions).toMatchObject({ killPod: true, createSandbox: false, containersToStart: [] });
  });

  test('does not start containers that succeeded and restart only on failure, whatever their rules', () => {
    const pod = aPod({ containers: [onFailure, aContainer({ name: 'other' })] });
    const actions = decide({ pod, sandbox, containers: [ended(0)] });
    expect(actions).toMatchObject({ createSandbox: true, containersToStart: [1] });
    expect(decide({ pod, sandbox, containers: [ended(0)], version: '1.33' }).containersToStart).toEqual([
      0, 1,
    ]);
  });
});

test('a container that fails its liveness probe restarts by its own policy from 1.35 on', () => {
  const pod = aPod({ containers: [aContainer({ restartPolicy: 'Never' }), aContainer({ name: 'other' })] });
  const given: Given = { pod, containers: [{}], probeResult: () => 'failure' };
  expect(decide(given).containersToStart).toEqual([1]);
  expect(decide({ ...given, version: '1.33' }).containersToStart).toEqual([0, 1]);
});

describe('an init container', () => {
  const setup = aContainer({ name: 'setup' });

  test('that was OOM-killed with exit code 0 ends a pod that restarts on failure, from 1.35 on', () => {
    const pod = aPod({ initContainers: [setup], restartPolicy: 'OnFailure' });
    const containers = [{ name: 'setup', ...ended(0, 'OOMKilled') }];
    expect(decide({ pod, containers })).toMatchObject({ killPod: true, initContainersToStart: [] });
    expect(decide({ pod, containers, version: '1.33' })).toMatchObject({
      killPod: false,
      initContainersToStart: [0],
    });
  });

  test('in unknown state is restarted by its own policy, not by the policies of others', () => {
    const containers = [{ name: 'setup', state: 'unknown' }] as const;
    const never = aPod({ initContainers: [setup], restartPolicy: 'Never', containers: [onFailure] });
    expect(decide({ pod: never, containers }).killPod).toBe(true);
    const own = { ...setup, restartPolicy: 'OnFailure' } as const;
    const pod = aPod({ initContainers: [own], restartPolicy: 'Never' });
    expect(decide({ pod, containers })).toMatchObject({
      killPod: false,
      initContainersToStart: [0],
    });
  });
});

describe('an init container of an earlier sandbox', () => {
  const pod = aPod({ initContainers: [aContainer({ name: 'setup' })] });
  const old = [
    { id: 'old', state: 'running', active: false },
    { name: 'setup', ...ended(0), active: false },
  ] as const;

  test('runs again, though a container of that sandbox seems to run, from 1.37 on', () => {
    expect(decide({ pod, containers: old, version: '1.37' })).toMatchObject({
      initContainersToStart: [0],
      containersToStart: [],
    });
    expect(decide({ pod, containers: old }).initContainersToStart).toEqual([]);
  });

  test('does not run again once a container of the pod has ended in this sandbox, from 1.37 on', () => {
    const now = [{ ...ended(1), active: true }] as const;
    expect(decide({ pod, containers: now, version: '1.37' })).toMatchObject({
      initContainersToStart: [],
      containersToStart: [0],
    });
    expect(decide({ pod, containers: now }).initContainersToStart).toEqual([0]);
  });
});

describe('an ephemeral container', () => {
  const debug = aContainer({ name: 'debug' });
  const pod = aPod({
    initContainers: [aContainer({ name: 'setup' })],
    containers: [aContainer()],
    ephemeralContainers: [debug],
  });
  const setup = { name: 'setup' };

  test('starts even while an init container runs', () => {
    expect(decide({ pod, containers: [setup] })).toMatchObject({
      ephemeralContainersToStart: [0],
      containersToStart: [],
    });
  });

  test('is never restarted', () => {
    const done = { name: 'debug', ...ended(1) };
    expect(decide({ pod, containers: [setup, done] }).ephemeralContainersToStart).toEqual([]);
  });

  test('is not started by the sync that replaces the sandbox', () => {
    const actions = decide({ pod, sandbox: PodSandboxState.SANDBOX_NOTREADY });
    expect(actions).toMatchObject({ createSandbox: true, ephemeralContainersToStart: [] });
  });
});

describe('a container that runs with other resources than it has now', () => {
  const had = { limits: { memory: '64Mi' }, requests: { cpu: '100m', memory: '32Mi' } };
  const wants = (requests: Record<string, string>) => ({
    ...had,
    requests: { ...had.requests, ...requests },
  });
  const restart = [{ resourceName: 'memory', restartPolicy: 'RestartContainer' }] as const;
  const resized = (requests: Record<string, string>, more: Partial<Given> = {}) => {
    const app = aContainer({ resources: wants(requests), resizePolicy: restart });
    return decide({ pod: aPod({ containers: [app] }), containers: [{}], actuated: () => had, ...more });
  };

  test('is updated for what changed', () => {
    const { resize, containersToKill } = resized({ cpu: '200m' });
    expect(resize?.cpu.map(({ desired }) => desired.cpuRequest)).toEqual([200]);
    expect(resize?.memory).toEqual([]);
    expect(containersToKill).toEqual([]);
  });

  test('starts again if its policy for a resource that changed says so', () => {
    const actions = resized({ memory: '48Mi' });
    expect(actions).toMatchObject({
      containersToStart: [0],
      resize: { restarts: true, cpu: [], memory: [] },
    });
    expect(actions.containersToKill.map(({ message }) => message)).toEqual([
      'Container app resize requires restart',
    ]);
  });

  test('is left alone before 1.33, when it does not run, and when nobody knows what it has', () => {
    expect(resized({ cpu: '200m' }, { version: '1.32' }).resize).toBeUndefined();
    expect(resized({ cpu: '200m' }, { containers: [ended(1)] }).resize).toBeUndefined();
    expect(resized({ cpu: '200m' }, { actuated: () => undefined }).resize).toBeUndefined();
    expect(resized({ cpu: '0.1' }).resize).toBeUndefined();
  });
});

test.each([
  ['1.36', undefined],
  ['1.37', true],
])('a container that starts with other resources than before: kubelet %s', (version, restarts) => {
  const resources = (cpu: string) => ({ limits: {}, requests: { cpu } });
  const given: Given = {
    pod: aPod({ containers: [aContainer({ resources: resources('200m') })] }),
    containers: [ended(1)],
    actuated: () => resources('100m'),
    version,
  };
  expect(decide(given).resize?.restarts).toBe(restarts);
  expect(decide({ ...given, actuated: () => resources('200m') }).resize).toBeUndefined();
});

test('a sidecar is resized as a regular container, another init container from 1.36 on', () => {
  const had = { limits: {}, requests: { cpu: '100m' } };
  const resources = { limits: {}, requests: { cpu: '200m' } };
  const resizes = (first: Partial<Pod['spec']['containers'][number]>, version = '1.36') =>
    decide({
      pod: aPod({ initContainers: [aContainer({ name: 'first', resources, ...first })] }),
      containers: [{ name: 'first' }],
      actuated: ({ name }) => (name === 'first' ? had : undefined),
      version,
    }).resize?.cpu.length ?? 0;
  expect(resizes({ restartPolicy: 'Always' }, '1.33')).toBe(1);
  expect(resizes({})).toBe(1);
  expect(resizes({}, '1.35')).toBe(0);
});
