import { expect, test } from 'vitest';
import {
  aContainer,
  aPod,
  aRuntimeContainer,
  aRuntimeStatus,
} from '../../../test/support/kubelet/objects.js';
import { runtimeRig } from '../../../test/support/kubelet/runtime-context.js';
import { CallError } from '../../cri/client/call-error.js';
import { PodSandboxStatus } from '../../cri/gen/runtime/v1/api.js';
import { killPod, runningPodOf } from './kill.js';
import { SyncResults } from './sync-results.js';

const proxy = aContainer({ name: 'proxy', restartPolicy: 'Always' });
const app = aRuntimeContainer();
const running = {
  uid: 'uid-1',
  containers: [app, aRuntimeContainer({ id: 'c0', name: 'proxy' })],
  sandboxes: [{ id: 's1' }],
};

test('waits the full grace period for a container that cannot be stopped', async () => {
  const { clock, context, calls } = runtimeRig({
    stopContainer: async (id) => {
      if (id === 'c1') throw new CallError(13, 'stuck');
    },
  });
  const results = new SyncResults();
  const killing = killPod(context, { pod: aPod({ initContainers: [proxy] }), running, results });
  await clock.advance(29_999);
  expect(calls).toEqual(['stopContainer c1 30']);
  await clock.advance(1);
  await killing;
  expect(calls).toEqual(['stopContainer c1 30', 'stopContainer c0 2', 'stopSandbox s1']);
  expect(results.error()?.message).toBe(
    'failed to "KillContainer" for "app" with KillContainerError: "rpc error: code = Internal desc = stuck"',
  );
});

test('kills the last container first, and names first the last one of those that fail in one instant', async () => {
  const { clock, context, calls } = runtimeRig({
    stopContainer: async (id) => {
      if (id === 'c2') await clock.sleep(5);
      throw new CallError(13, 'stuck');
    },
  });
  const results = new SyncResults();
  const containers = ['c1', 'c2', 'c3', 'c4'].map((id) => ({ id, name: id }));
  const pod = aPod({ containers: containers.map(({ name }) => aContainer({ name })) });
  const killing = killPod(context, { pod, running: { ...running, containers }, results });
  await clock.advance(10);
  await killing;
  expect(calls.map((call) => call.split(' ')[1])).toEqual(['c4', 'c1', 'c2', 'c3', 's1']);
  expect([...(results.error()?.message ?? '').matchAll(/for "(\w+)"/g)].map(([, name]) => name)).toEqual([
    'c3',
    'c4',
    'c1',
    'c2',
  ]);
});

test('stops only running containers: one in unknown state ends with its sandbox', () => {
  const sandbox = PodSandboxStatus.fromPartial({ id: 's1' });
  const unknown = aRuntimeContainer({ id: 'c2', state: 'unknown' });
  const status = { ...aRuntimeStatus([app, unknown]), sandboxes: [sandbox] };
  expect(runningPodOf(status)).toEqual({ uid: 'uid-1', containers: [app], sandboxes: [sandbox] });
});

test('reports once that sandboxes cannot be stopped, with the uid of the pod', async () => {
  const { context, calls } = runtimeRig({
    stopSandbox: async (id) => {
      throw new CallError(id === 's1' ? 5 : 13, `no ${id}`);
    },
  });
  const results = new SyncResults();
  const sandboxes = ['s3', 's2', 's1'].map((id) => ({ id }));
  await killPod(context, { pod: aPod(), running: { uid: 'uid-1', containers: [], sandboxes }, results });
  expect(calls).toHaveLength(3);
  expect(results.error()?.message).toBe(
    'failed to "KillPodSandbox" for "uid-1" with KillPodSandboxError: "rpc error: code = Internal desc = no s2"',
  );
});

test('fails for a container that its pod does not contain; the container ends with its sandbox', async () => {
  const { context, calls, events } = runtimeRig();
  const results = new SyncResults();
  const containers = [{ id: 'c9', name: 'old' }];
  await killPod(context, { pod: aPod(), running: { ...running, containers }, results });
  expect(calls).toEqual(['stopSandbox s1']);
  expect(events).toEqual([]);
  expect(results.error()?.message).toContain(
    'failed to get containerSpec \\"old\\" (id=\\"mockri://c9\\") in pod \\"web_default(uid-1)\\"',
  );
});
