import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  answerOf,
  createPodFixture,
  IMAGE,
  type PodFixture,
} from '../../../../test/support/profiles/pod-fixture.js';
import { ContainerState, type PodSandboxConfig } from '../../../cri/gen/runtime/v1/api.js';
import { type Mockri, startMockri } from '../../../testing/index.js';

/** Measured with cri-dockerd 0.4.3 and Docker 20.10.24 (docs/profiles.md). */

let mockri: Mockri | undefined;
let fixture: PodFixture;
beforeEach(async () => {
  mockri = await startMockri({ profile: 'cri-dockerd-0.4', latency: 'none', referee: 'off' });
  await mockri.client.pullImage({ image: IMAGE });
  fixture = createPodFixture(mockri.client, 'a');
});
afterEach(() => mockri?.close());

const stateOf = async (containerId: string) =>
  (await fixture.cri.containerStatus({ containerId })).status?.state;

test('StartContainer does nothing to a running container, and starts one again that has ended', async () => {
  const { cri, running } = fixture;
  const { containerId } = await running();
  expect(await answerOf(cri.startContainer({ containerId }))).toBe('OK');
  await cri.stopContainer({ containerId });
  expect(await stateOf(containerId)).toBe(ContainerState.CONTAINER_EXITED);
  expect(await answerOf(cri.startContainer({ containerId }))).toBe('OK');
  expect(await stateOf(containerId)).toBe(ContainerState.CONTAINER_RUNNING);
});

/** Names the namespaces of a container's processes. */
const inPids = (pid: number) => ({ linux: { securityContext: { namespaceOptions: { pid } } } });

test('a container outlives its sandbox unless they share the pid namespace', async () => {
  const { cri, config, pod } = fixture;
  const podSandboxId = await pod();
  const ids: string[] = [];
  for (const [name, pid] of [
    ['shared', 0],
    ['own', 1],
  ] as const) {
    const given = {
      metadata: { name, attempt: 0 },
      image: IMAGE,
      command: ['sleep', '1000'],
      ...inPids(pid),
    };
    const { containerId } = await cri.createContainer({ podSandboxId, config: given, sandboxConfig: config });
    await cri.startContainer({ containerId });
    ids.push(containerId);
  }
  await cri.stopPodSandbox({ podSandboxId });
  expect(await Promise.all(ids.map(stateOf))).toEqual([
    ContainerState.CONTAINER_EXITED,
    ContainerState.CONTAINER_RUNNING,
  ]);
  await cri.removePodSandbox({ podSandboxId });
  expect((await cri.listContainers({})).containers).toEqual([]);
});

test('a container that can’t be started is CREATED in lists, and EXITED in its status', async () => {
  const { cri, pod, create } = fixture;
  const containerId = await create(await pod(), 'app', ['/no/such/program']);
  const answer = await answerOf(cri.startContainer({ containerId }));
  expect(answer).toMatch(/^UNKNOWN: failed to start container "<id>": Error response from daemon: /);
  const { status } = await cri.containerStatus({ containerId });
  expect(status).toMatchObject({
    state: ContainerState.CONTAINER_EXITED,
    exitCode: 127,
    reason: 'ContainerCannotRun',
    startedAt: status?.createdAt,
    finishedAt: status?.createdAt,
  });
  const { containers } = await cri.listContainers({});
  expect(containers.map(({ state }) => state)).toEqual([ContainerState.CONTAINER_CREATED]);
});

test('what has a name is removed when it does not run, and the call fails', async () => {
  const { cri, pod, create } = fixture;
  const podSandboxId = await pod();
  const containerId = await create(podSandboxId, 'app');
  expect(await answerOf(create(podSandboxId, 'app'))).toMatch(/Conflict. The container name/);
  expect(await answerOf(cri.containerStatus({ containerId }))).toMatch(/No such container/);
  const second = await create(podSandboxId, 'app');
  await cri.startContainer({ containerId: second });
  expect(await answerOf(create(podSandboxId, 'app'))).toMatch(/Conflict. The container name/);
  expect(await stateOf(second)).toBe(ContainerState.CONTAINER_RUNNING);
});

test('RemoveImage takes an id only', async () => {
  const { cri } = fixture;
  await cri.removeImage({ image: IMAGE });
  const { image } = await cri.imageStatus({ image: IMAGE });
  expect(image?.repoTags).toEqual([IMAGE.image]);
  await cri.removeImage({ image: { image: image?.id ?? '' } });
  expect((await cri.imageStatus({ image: IMAGE })).image).toBeUndefined();
});

test('requests that end cri-dockerd close the connection', async () => {
  const { cri, config } = fixture;
  const metadata: PodSandboxConfig['metadata'] = undefined;
  const calls = [
    () => cri.runPodSandbox({}),
    () => cri.runPodSandbox({ config: { ...config, metadata } }),
    () => cri.imageStatus({}),
    () => cri.updateContainerResources({ containerId: 'a' }),
  ];
  for (const call of calls)
    expect(await answerOf(call())).toBe('UNAVAILABLE: error reading from server: EOF');
});
