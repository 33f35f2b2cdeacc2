import { describe, expect, test } from 'vitest';
import { aContainer, aPod, aRuntimeContainer, aRuntimeStatus } from '../../../test/support/kube-objects.js';
import { PodSandboxState, PodSandboxStatus } from '../../cri/gen/runtime/v1/api.js';
import { versionProfile } from '../config/profile.js';
import type { Pod, RuntimeContainerStatus } from '../types.js';
import { computePodActions } from './actions.js';
import type { ActionInput } from './pod-actions.js';

interface Given extends Partial<Pick<ActionInput, 'probeResult'>> {
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
}: Given) {
  const sandboxes = [
    PodSandboxStatus.fromPartial({ id: 's1', state: sandbox, metadata: {}, network: { ip: '10.0.0.1' } }),
  ];
  const status = { ...aRuntimeStatus(containers.map(aRuntimeContainer)), sandboxes };
  const profile = versionProfile(version);
  return computePodActions({ pod, status, profile, probeResult, hashOf: () => '', restartingAll: false });
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
