import { expect, test } from 'vitest';
import { createNriRig } from '../../../../../test/support/nri/rig.js';
import { NamespaceMode } from '../../../../cri/gen/runtime/v1/api.js';
import {
  type Container,
  ContainerState,
  CreateContainerResponse,
  Event,
} from '../../../nri/gen/nri/v1alpha1/api.js';
import { statusError } from '../../../ttrpc/error.js';
import { crio136 } from '../cri-o-1.36.js';

const rig = (change?: Parameters<typeof createNriRig>[1]) => createNriRig({ rules: crio136.nri }, change);

/** The containers that a plugin sees in a life, by the requests about them. */
async function seenIn(
  live: (rig: Awaited<ReturnType<typeof createNriRig>>) => Promise<unknown>,
  adjust: Parameters<typeof CreateContainerResponse.fromPartial>[0] = {},
): Promise<Map<string, Container>> {
  const life = await createNriRig({ rules: crio136.nri }, undefined, crio136.rules);
  const seen = new Map<string, Container>();
  const note = (what: string, container: Container | undefined) => {
    if (container !== undefined) seen.set(what, container);
  };
  await life.plugin('10', 'watcher', {
    createContainer: ({ container }) => {
      note('CREATE_CONTAINER', container);
      return CreateContainerResponse.fromPartial(adjust);
    },
    stopContainer: ({ container }) => {
      note('STOP_CONTAINER', container);
      return { update: [] };
    },
    stateChange: ({ event, container }) => {
      note(Event[event] ?? '', container);
      return {};
    },
  });
  await live(life);
  return seen;
}

const OWN_PIDS = { linux: { securityContext: { namespaceOptions: { pid: NamespaceMode.CONTAINER } } } };

test('a container that has just been started is shown as it was before', async () => {
  const seen = await seenIn(async ({ cri, create }) => {
    const containerId = await create('c');
    await cri.startContainer({ containerId });
    await cri.updateContainerResources({ containerId, linux: { cpuShares: 5n } });
  });
  expect(seen.get('POST_START_CONTAINER')).toMatchObject({
    state: ContainerState.CONTAINER_CREATED,
    startedAt: 0n,
  });
  expect(seen.get('POST_UPDATE_CONTAINER')?.state).toBe(ContainerState.CONTAINER_RUNNING);
});

test('a removal ends the process of a container that was never started', async () => {
  const seen = await seenIn(async ({ cri, create }) =>
    cri.removeContainer({ containerId: await create('c', OWN_PIDS) }),
  );
  for (const what of ['STOP_CONTAINER', 'REMOVE_CONTAINER']) {
    expect(seen.get(what)).toMatchObject({ state: ContainerState.CONTAINER_STOPPED, exitCode: 2 });
    expect(seen.get(what)?.startedAt).toBeLessThan(0n);
    expect(seen.get(what)?.finishedAt).toBeGreaterThan(0n);
  }
});

/** What a plugin learns from the removal of a pod with two containers, in order. */
async function seenInRemoval(isStopped: boolean): Promise<string[]> {
  const { cri, create, plugin, podSandboxId } = await createNriRig(
    { rules: crio136.nri },
    undefined,
    crio136.rules,
  );
  for (const name of ['first', 'second'])
    await create(name, { ...OWN_PIDS, labels: { 'io.kubernetes.container.name': name } });
  const seen: string[] = [];
  await plugin('10', 'watcher', {
    stopContainer: ({ container }) => {
      seen.push(`STOP_CONTAINER ${container?.name}`);
      return { update: [] };
    },
    stateChange: ({ event, container }) => {
      seen.push(`${Event[event]} ${container?.name ?? ''}`.trim());
      return {};
    },
  });
  if (isStopped) {
    await cri.stopPodSandbox({ podSandboxId });
    seen.length = 0;
  }
  await cri.removePodSandbox({ podSandboxId });
  return seen;
}

test('with a pod, containers are removed newest first', async () => {
  const seen = await seenInRemoval(true);
  expect(seen).toEqual(['REMOVE_CONTAINER second', 'REMOVE_CONTAINER first', 'REMOVE_POD_SANDBOX']);
});

test('with a pod that is not stopped, containers are stopped and removed one by one, and plugins learn no stop of the pod', async () => {
  const seen = await seenInRemoval(false);
  const ofEach = (name: string) => [`STOP_CONTAINER ${name}`, `REMOVE_CONTAINER ${name}`];
  expect(seen).toEqual([...ofEach('second'), ...ofEach('first'), 'REMOVE_POD_SANDBOX']);
});

test('a seccomp policy that a plugin sets is not shown', async () => {
  const linux = { seccompPolicy: { defaultAction: 'SCMP_ACT_ALLOW' } };
  const seen = await seenIn(({ create }) => create('c'), { adjust: { linux } });
  expect(seen.get('POST_CREATE_CONTAINER')?.linux).toMatchObject({ seccompPolicy: undefined });
});

test('a user that the image does not have gets a file with an entry', async () => {
  const passwd = async (value: bigint) => {
    const given = { linux: { securityContext: { runAsUser: { value } } } };
    const seen = await seenIn(({ create }) => create('c', given));
    return seen.get('CREATE_CONTAINER')?.mounts.find(({ destination }) => destination === '/etc/passwd');
  };
  expect(await passwd(1000n)).toMatchObject({ options: ['rw', 'bind', 'nodev', 'nosuid', 'noexec'] });
  expect(await passwd(0n)).toBeUndefined();
});

test('annotations name the layer of the container', async () => {
  const seen = await seenIn(({ create }) => create('c', OWN_PIDS));
  const { id, annotations } = seen.get('CREATE_CONTAINER') ?? expect.unreachable();
  expect(annotations['io.kubernetes.cri-o.MountPoint']).toMatch(/overlay\/[0-9a-f]{64}\/merged$/);
  expect(annotations['io.kubernetes.cri-o.MountPoint']).not.toContain(id);
});

const no = () => {
  throw statusError(9, 'not today');
};

test('most events are StateChange, and Configure names no version of NRI', async () => {
  const { cri, create, plugin, podSandboxId } = await rig();
  const seen: string[] = [];
  await plugin('10', 'watcher', {
    configure: ({ NRIVersion }) => {
      seen.push(`Configure ${NRIVersion}`);
      return { events: 0, failurePolicy: undefined };
    },
    createContainer: () => {
      seen.push('CreateContainer');
      return CreateContainerResponse.fromPartial({});
    },
    stopContainer: () => {
      seen.push('StopContainer');
      return { update: [] };
    },
    stateChange: ({ event }) => {
      seen.push(Event[event]);
      return {};
    },
  });
  const containerId = await create('c');
  await cri.startContainer({ containerId });
  await cri.updateContainerResources({ containerId, linux: { cpuShares: 5n } });
  await cri.stopContainer({ containerId, timeout: 0n });
  await cri.removeContainer({ containerId });
  await cri.stopPodSandbox({ podSandboxId });
  await cri.removePodSandbox({ podSandboxId });
  expect(seen).toEqual([
    'Configure ',
    'CreateContainer',
    'POST_CREATE_CONTAINER',
    'START_CONTAINER',
    'POST_START_CONTAINER',
    'POST_UPDATE_CONTAINER',
    'StopContainer',
    'REMOVE_CONTAINER',
    'STOP_POD_SANDBOX',
    'REMOVE_POD_SANDBOX',
  ]);
});

test('a plugin that refuses a creation: its own code and text, and plugins learn nothing of the end', async () => {
  const { create, plugin } = await rig();
  const { requests } = await plugin('10', 'strict', { createContainer: no });
  await expect(create('c')).rejects.toMatchObject({ code: 9, message: 'not today' });
  expect(requests.at(-1)).toMatch(/^CreateContainer/);
});

test('a plugin can’t refuse a start', async () => {
  const { cri, create, plugin } = await rig();
  await plugin('10', 'strict', { startContainer: no, stateChange: no });
  const containerId = await create('c');
  await cri.startContainer({ containerId });
  expect((await cri.containerStatus({ containerId })).status?.state).toBe(1);
});

test('a plugin can refuse that a pod is stopped, and is asked again', async () => {
  const { cri, plugin, podSandboxId } = await rig();
  let times = 0;
  await plugin('10', 'strict', { stateChange: () => (times++ === 0 ? no() : {}) });
  await expect(cri.stopPodSandbox({ podSandboxId })).rejects.toMatchObject({ code: 9, message: 'not today' });
  await cri.stopPodSandbox({ podSandboxId });
  expect(times).toBe(2);
});

test('what a plugin wants to update and can’t fails the creation', async () => {
  const { create, plugin } = await rig((backend) => ({
    ...backend,
    updateContainerResources: () => Promise.reject(new Error('no such cgroup')),
  }));
  const containerId = await create('other');
  await plugin('10', 'updater', {
    createContainer: () =>
      CreateContainerResponse.fromPartial({
        update: [{ containerId, linux: { resources: { memory: { limit: { value: 1n } } } } }],
      }),
  });
  await expect(create('c')).rejects.toThrow('NRI update of containers failed');
});

test('a plugin is synchronized while a container is made, and learns the rest of its life', async () => {
  let finish = () => {};
  const held = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const { create, plugin } = await rig((backend) => ({
    ...backend,
    createContainer: async (...given) => {
      await held;
      return backend.createContainer(...given);
    },
  }));
  const creation = create('c');
  const { isIn, requests } = await plugin('10', 'late');
  finish();
  await creation;
  expect([isIn, requests]).toEqual([true, ['Configure', 'Synchronize', 'StateChange ']]);
});
