import { describe, expect, test } from 'vitest';
import {
  aContainer,
  aPod,
  aRuntimeContainer,
  aRuntimeStatus,
} from '../../../test/support/kubelet/objects.js';
import { runtimeRig } from '../../../test/support/kubelet/runtime-context.js';
import { CallError } from '../../cri/client/call-error.js';
import { ContainerStatus, PodSandboxState, PodSandboxStatus } from '../../cri/gen/runtime/v1/api.js';
import type { RuntimeContainerStatus } from '../types/runtime-status.js';
import { syncRuntimePod } from './sync-pod.js';

const target = 'web_default(uid-1)';
const lost = PodSandboxStatus.fromPartial({
  id: 's1',
  state: PodSandboxState.SANDBOX_NOTREADY,
  metadata: { attempt: 0 },
});
const sync = (containers: readonly RuntimeContainerStatus[] = []) => ({
  pod: aPod(),
  status: { ...aRuntimeStatus(containers), sandboxes: [lost] },
  restartingAll: false,
  onSandboxReady: () => {},
  isTerminating: () => false,
});

describe('a sandbox that cannot be created', () => {
  const refusing = {
    runSandbox: async () => {
      throw new CallError(13, 'no network');
    },
  };
  const text = 'rpc error: code = Internal desc = no network';

  test('fails the sync with the full name of its pod', async () => {
    const { context, events } = runtimeRig(refusing);
    const results = await syncRuntimePod(context, sync());
    expect(results.error()?.message).toBe(
      `failed to "CreatePodSandbox" for "${target}" with CreatePodSandboxError: ` +
        `"Failed to create sandbox for pod \\"${target}\\": ${text}"`,
    );
    expect(events.at(-1)).toBe(`FailedCreatePodSandBox: Failed to create pod sandbox: ${text}`);
  });

  test('is no failure of a pod that was deleted meanwhile', async () => {
    const { context, events } = runtimeRig(refusing);
    const results = await syncRuntimePod(context, { ...sync(), isTerminating: () => true });
    expect(results.error()).toBeUndefined();
    expect(events).toEqual(['SandboxChanged: Pod sandbox changed, it will be killed and re-created.']);
  });
});

test('a sandbox whose status cannot be read fails the sync itself', async () => {
  const { context, events } = runtimeRig({
    sandboxStatus: async () => {
      throw new CallError(14, 'gone');
    },
  });
  const results = await syncRuntimePod(context, sync());
  const text = 'rpc error: code = Unavailable desc = gone';
  expect(results.error()?.message).toBe(`failed to SyncPod: ${text}`);
  expect(events.at(-1)).toBe(`FailedPodSandBoxStatus: Unable to get pod sandbox status: ${text}`);
});

test('all init containers are removed before a new sandbox, even those that just ran', async () => {
  const { context, calls } = runtimeRig({
    containerStatus: async (id) => ContainerStatus.fromPartial({ id }),
    runSandbox: async () => {
      throw new Error('enough');
    },
  });
  const proxy = aContainer({ name: 'proxy', restartPolicy: 'Always' });
  const containers = [
    aRuntimeContainer({ id: 'c3', name: 'proxy' }),
    aRuntimeContainer({ id: 'c2', name: 'proxy', state: 'exited' }),
  ];
  await syncRuntimePod(context, { ...sync(containers), pod: aPod({ initContainers: [proxy] }) });
  expect(calls.filter((call) => call.startsWith('remove'))).toEqual([
    'removeContainer c3',
    'removeContainer c2',
  ]);
});

test('a container that cannot be stopped before a restart of all containers is a kill failure', async () => {
  const { context } = runtimeRig({
    stopContainer: async () => {
      throw new CallError(13, 'stuck');
    },
  });
  const ready = PodSandboxStatus.fromPartial({ ...lost, state: PodSandboxState.SANDBOX_READY });
  const status = { ...aRuntimeStatus([aRuntimeContainer()]), sandboxes: [ready] };
  const results = await syncRuntimePod(context, { ...sync(), status, restartingAll: true });
  expect(results.error()?.message).toBe(
    'failed to "RemoveContainer" for "app" with KillContainerError: "rpc error: code = Internal desc = stuck"',
  );
});
