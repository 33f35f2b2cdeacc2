import { describe, expect, test } from 'vitest';
import { runtimeRig } from '../../../test/support/kubelet/runtime-context.js';
import { CallError } from '../../cri/client/call-error.js';
import {
  Container,
  ContainerState,
  ContainerStatus,
  PodSandbox,
  PodSandboxState,
} from '../../cri/gen/runtime/v1/api.js';
import type { RuntimeClient } from '../client/client.js';
import { CONTAINER_NAME, POD_NAME, POD_NAMESPACE, POD_UID } from '../client/labels.js';
import { collectGarbage, removeContainer } from './gc.js';

const labels = (uid: string) => ({ [POD_UID]: uid, [POD_NAME]: 'web', [POD_NAMESPACE]: 'default' });

/** The first id is the oldest. */
const dead = (uid: string, ids: readonly string[], state = ContainerState.CONTAINER_EXITED) =>
  ids.map((id, age) =>
    Container.fromPartial({
      id,
      metadata: { name: 'app' },
      labels: uid === '' ? {} : labels(uid),
      createdAt: BigInt(age),
      state,
      podSandboxId: `of-${id}`,
    }),
  );

const sandboxes = (uid: string, ids: readonly string[]) =>
  ids.map((id, attempt) =>
    PodSandbox.fromPartial({
      id,
      metadata: { name: 'web', namespace: 'default', uid, attempt },
      createdAt: BigInt(attempt),
      state: PodSandboxState.SANDBOX_NOTREADY,
    }),
  );

const containerStatus: RuntimeClient['containerStatus'] = async (id) => ContainerStatus.fromPartial({ id });

async function collect(answers: Partial<RuntimeClient>, gone: readonly string[] = []) {
  const { context, calls, events } = runtimeRig({ containerStatus, ...answers });
  const isGone = (uid: string) => gone.includes(uid);
  const failure = await collectGarbage(context, isGone).catch((error: Error) => error);
  return { calls, events, failure, removed: calls.filter((call) => call.startsWith('remove')) };
}

describe('the oldest are removed first, and of a removed pod what is listed last', () => {
  test('it removes all but the newest container of a name, and first all containers of a removed pod', async () => {
    const { removed } = await collect(
      { listContainers: async () => [...dead('a', ['a1', 'a2', 'a3']), ...dead('b', ['b1', 'b2'])] },
      ['b'],
    );
    expect(removed).toEqual(['b2', 'b1', 'a1', 'a2'].map((id) => `removeContainer ${id}`));
  });

  test('the sandboxes of a pod', async () => {
    const { removed } = await collect({ listSandboxes: async () => sandboxes('a', ['s1', 's2', 's3']) });
    expect(removed).toEqual(['removeSandbox s1', 'removeSandbox s2']);
  });

  test('all sandboxes of a removed pod', async () => {
    const { removed } = await collect({ listSandboxes: async () => sandboxes('a', ['s1', 's2']) }, ['a']);
    expect(removed).toEqual(['removeSandbox s2', 'removeSandbox s1']);
  });
});

test('lists the containers again before the sandboxes, so that no sandbox with a new container is removed', async () => {
  const { calls } = await collect({});
  expect(calls).toEqual(['listContainers', 'listContainers', 'listSandboxes']);
});

test('collects sandboxes even if the first list of containers failed', async () => {
  let asked = 0;
  const listContainers = async () => {
    if (asked++ === 0) throw new CallError(4, 'late');
    return [];
  };
  const { removed, failure } = await collect({
    listContainers,
    listSandboxes: async () => sandboxes('a', ['s1', 's2']),
  });
  expect(removed).toEqual(['removeSandbox s1']);
  expect(String(failure)).toContain('rpc error: code = DeadlineExceeded desc = late');
});

test('also collects objects of other clients', async () => {
  const { removed } = await collect(
    { listContainers: async () => dead('', ['x1']), listSandboxes: async () => sandboxes('other', ['x']) },
    ['', 'other'],
  );
  expect(removed).toEqual(['removeContainer x1', 'removeSandbox x']);
});

test('a container in unknown state is first killed according to its annotations, without events', async () => {
  const annotations = {
    'io.kubernetes.pod.terminationGracePeriod': '7',
    'io.kubernetes.container.preStopHandler': '{"exec":{"command":["bye"]}}',
  };
  const { calls, events } = await collect(
    {
      listContainers: async () => dead('a', ['a1'], ContainerState.CONTAINER_UNKNOWN),
      containerStatus: async (id) =>
        ContainerStatus.fromPartial({ id, annotations, labels: { ...labels('a'), [CONTAINER_NAME]: 'app' } }),
      execSync: async () => ({ exitCode: 1, stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) }),
    },
    ['a'],
  );
  expect(calls.slice(1, 4)).toEqual(['containerStatus a1', 'execSync a1 0', 'stopContainer a1 7']);
  expect(calls).toContain('removeContainer a1');
  expect(events).toEqual([]);
});

test('a container without a status is left to the next round', async () => {
  const { context, calls } = runtimeRig({
    containerStatus: async () => {
      throw new CallError(5, 'gone');
    },
  });
  await expect(removeContainer(context, 'c1')).rejects.toThrow('gone');
  expect(calls).toEqual(['containerStatus c1']);
});
