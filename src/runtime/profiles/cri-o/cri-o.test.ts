import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  answerOf,
  createPodFixture,
  createWith,
  IMAGE,
  type PodFixture,
  SHORT_TIMES,
} from '../../../../test/support/profiles/pod-fixture.js';
import {
  ContainerState,
  NamespaceMode,
  type PodSandboxConfig,
  Signal,
} from '../../../cri/gen/runtime/v1/api.js';
import { type Mockri, startMockri } from '../../../testing/index.js';

/** Measured with CRI-O 1.36.1 and runc 1.1.5 (docs/profiles.md). */

let mockri: Mockri | undefined;
const SANDBOX = { metadata: { name: 'b', uid: 'u', namespace: 'd', attempt: 0 } };
let fixture: PodFixture;
beforeEach(async () => {
  mockri = await startMockri({ profile: 'cri-o-1.36', latency: SHORT_TIMES, referee: 'off' });
  await mockri.client.pullImage({ image: IMAGE });
  fixture = createPodFixture(mockri.client, 'a');
});
afterEach(() => mockri?.close());

test('a repeated request is answered with the object that is there', async () => {
  const { pod, create } = fixture;
  const podSandboxId = await pod();
  expect(await pod()).toBe(podSandboxId);
  const containerId = await create(podSandboxId, 'app');
  expect(await create(podSandboxId, 'app')).toBe(containerId);
});

test('unknown and empty ids', async () => {
  const { cri } = fixture;
  expect(await answerOf(cri.startContainer({ containerId: 'f00' }))).toBe(
    'NOT_FOUND: could not find container "f00": container with ID starting with f00 not found: ID does not exist',
  );
  expect(await answerOf(cri.stopContainer({ containerId: '' }))).toBe(
    'NOT_FOUND: could not find container "": container ID should not be empty',
  );
  expect(await answerOf(cri.containerStats({ containerId: 'f00' }))).toBe(
    'UNKNOWN: container with ID starting with f00 not found: ID does not exist',
  );
  expect(await answerOf(cri.stopPodSandbox({ podSandboxId: '' }))).toBe(
    'UNKNOWN: PodSandboxId should not be empty',
  );
  expect(await answerOf(cri.stopPodSandbox({ podSandboxId: 'f00' }))).toBe('OK');
  expect(await answerOf(cri.portForward({ podSandboxId: 'f00', port: [80] }))).toBe('OK');
});

test('wrong states', async () => {
  const { cri, running, create } = fixture;
  const { podSandboxId, containerId } = await running();
  expect(await answerOf(cri.startContainer({ containerId }))).toBe(
    'UNKNOWN: container <id> is not in created state: running',
  );
  await cri.stopContainer({ containerId });
  expect(await answerOf(cri.execSync({ containerId, cmd: ['true'] }))).toMatch(
    /^NOT_FOUND: container is not created or running: /,
  );
  expect(await answerOf(cri.exec({ containerId, cmd: ['true'], stdout: true }))).toBe('OK');
  await cri.stopPodSandbox({ podSandboxId });
  expect(await answerOf(create(podSandboxId, 'late'))).toBe(
    'UNKNOWN: CreateContainer failed as the sandbox was stopped: <id>',
  );
});

test('a program that does not exist fails in CreateContainer, which leaves nothing', async () => {
  const { cri, pod, create } = fixture;
  const podSandboxId = await pod();
  expect(await answerOf(create(podSandboxId, 'app', ['nope']))).toContain(
    'level=error msg="runc create failed: unable to start container process: exec: \\"nope\\": executable file not found in $PATH"',
  );
  expect((await cri.listContainers({})).containers).toEqual([]);
  await create(podSandboxId, 'app');
});

test('a command beyond its timeout is a reply', async () => {
  const { cri, running } = fixture;
  const { containerId } = await running();
  const reply = await cri.execSync({ containerId, cmd: ['sleep', '60'], timeout: 1n });
  expect(reply).toMatchObject({ exitCode: -1, stderr: Buffer.from('command timed out') });
});

test('a sandbox has the labels of the kubelet, and the stream of events is empty', async () => {
  const { cri, pod } = fixture;
  const { status } = await cri.podSandboxStatus({ podSandboxId: await pod() });
  expect(status?.labels).toMatchObject({
    'io.kubernetes.pod.name': 'a',
    'io.kubernetes.container.name': 'POD',
  });
  for await (const event of cri.getContainerEvents({})) expect.unreachable(JSON.stringify(event));
  expect(await cri.version({})).toMatchObject({ runtimeName: 'cri-o', runtimeVersion: '1.36.1' });
});

const statusOf = async (containerId: string) =>
  (await fixture.cri.containerStatus({ containerId })).status ?? expect.unreachable();

test('a created container has a process, which StopContainer ends', async () => {
  const { cri, pod, create } = fixture;
  const podSandboxId = await pod();
  const containerId = await create(podSandboxId, 'app');
  expect(await cri.execSync({ containerId, cmd: ['sh', '-c', 'echo $0', 'x'] })).toMatchObject({
    stdout: Buffer.from('x\n'),
    exitCode: 0,
  });
  expect((await cri.execSync({ containerId, cmd: ['sh', '-c', 'kill -9 $$'] })).exitCode).toBe(137);
  const { podMetrics } = await cri.listPodSandboxMetrics({});
  expect(podMetrics[0]?.containerMetrics).toMatchObject([{ containerId }]);
  await cri.stopContainer({ containerId });
  const { state, exitCode, reason, startedAt, finishedAt } = await statusOf(containerId);
  expect({ state, exitCode, reason, startedAt }).toEqual({
    state: ContainerState.CONTAINER_EXITED,
    exitCode: 143,
    reason: 'Error',
    startedAt: -6_795_364_578_871_345_152n,
  });
  expect(await answerOf(cri.execSync({ containerId, cmd: ['true'] }))).toMatch(
    /^NOT_FOUND: container is not/,
  );
  await cri.stopContainer({ containerId });
  expect((await statusOf(containerId)).finishedAt).toBeGreaterThan(finishedAt);
  const other = await create(podSandboxId, 'other');
  await cri.stopPodSandbox({ podSandboxId });
  expect((await statusOf(other)).exitCode).toBe(143);
});

test('a container does not share the PID namespace of a pod whose containers have their own', async () => {
  const { cri, config } = fixture;
  const withPid = (pid: NamespaceMode) => ({ securityContext: { namespaceOptions: { pid } } });
  for (const mode of [NamespaceMode.CONTAINER, NamespaceMode.NODE]) {
    const metadata = { ...config.metadata, name: `pid-${mode}` };
    const pod = { ...config, metadata, linux: withPid(mode) } as PodSandboxConfig;
    const { podSandboxId } = await cri.runPodSandbox({ config: pod });
    const create = (name: string, pid: NamespaceMode) => {
      const given = {
        metadata: { name, attempt: 0 },
        image: IMAGE,
        command: ['sleep', '9'],
        linux: withPid(pid),
      };
      return answerOf(cri.createContainer({ podSandboxId, config: given, sandboxConfig: pod }));
    };
    expect(await create('shared', NamespaceMode.POD)).toBe(
      'UNKNOWN: pod level PID namespace requested for the container, but pod sandbox was not similarly configured, and does not have an infra container',
    );
    expect(await create('own', NamespaceMode.CONTAINER)).toBe('OK');
    expect(await create('host', NamespaceMode.NODE)).toBe('OK');
  }
});

test('a created container that is the first process of its PID namespace exits with 2', async () => {
  const linux = { securityContext: { namespaceOptions: { pid: NamespaceMode.CONTAINER } } };
  const { containerId } = await createWith(fixture, { linux });
  await fixture.cri.stopContainer({ containerId });
  expect((await statusOf(containerId)).exitCode).toBe(2);
});

test('a timeout of 0 sends the stop signal, too, and a removal waits for what it does', async () => {
  const { cri, pod, create } = fixture;
  const podSandboxId = await pod();
  const run = async (name: string) => {
    const containerId = await create(podSandboxId, name, [
      'sh',
      '-c',
      'trap "exit 3" TERM; while :; do sleep 0.01; done',
    ]);
    await cri.startContainer({ containerId });
    await cri.execSync({ containerId, cmd: ['sleep', '0.02'] });
    return containerId;
  };
  const app = await run('app');
  await cri.stopContainer({ containerId: app, timeout: 1n });
  expect((await statusOf(app)).exitCode).toBe(3);
  const other = await run('other');
  await cri.stopPodSandbox({ podSandboxId });
  expect((await statusOf(other)).exitCode).toBe(3);
});

test('a stopped sandbox keeps its address, and is in ListPodSandboxStats', async () => {
  const { cri } = fixture;
  const config = { ...fixture.config, linux: {} };
  const { podSandboxId } = await cri.runPodSandbox({ config });
  const ipOf = async () => (await cri.podSandboxStatus({ podSandboxId })).status?.network?.ip;
  const ip = await ipOf();
  expect(ip).not.toBe('');
  await cri.stopPodSandbox({ podSandboxId });
  expect(await ipOf()).toBe(ip);
  expect((await cri.listPodSandboxStats({})).stats.map(({ attributes }) => attributes?.id)).toEqual([
    podSandboxId,
  ]);
});

test('image ids are bare, and references are digests', async () => {
  const { cri, pod, create } = fixture;
  const { imageRef: id } = await cri.pullImage({ image: IMAGE });
  expect(id).toMatch(/^[0-9a-f]{64}$/);
  const { image } = await cri.imageStatus({ image: IMAGE });
  expect(image?.id).toBe(id);
  const [imageRef = ''] = image?.repoDigests ?? [];
  expect(imageRef).toMatch(/^registry\.k8s\.io\/e2e-test-images\/busybox@sha256:[0-9a-f]{64}$/);
  expect((await cri.listImages({})).images.map((image) => image.id)).toContain(id);
  const containerId = await create(await pod(), 'app');
  expect((await cri.listContainers({})).containers).toMatchObject([{ imageRef, imageId: id }]);
  expect(await statusOf(containerId)).toMatchObject({ imageRef, imageId: id });
});

test('stats of created containers are there, those of ended ones are not', async () => {
  const { cri, running, create } = fixture;
  const { podSandboxId, containerId } = await running();
  const created = await create(podSandboxId, 'created');
  await cri.stopContainer({ containerId });
  expect((await cri.listContainerStats({})).stats.map(({ attributes }) => attributes?.id)).toEqual([created]);
  const { stats } = await cri.containerStats({ containerId: created });
  expect(stats).toMatchObject({ swap: {}, cpu: { usageNanoCores: { value: 0n } } });
  const ofPod = await cri.podSandboxStats({ podSandboxId });
  expect(ofPod.stats?.linux?.containers.map(({ attributes }) => attributes?.id)).toEqual([created]);
  expect((await cri.containerStats({ containerId })).stats).toBeUndefined();
});

test('a repeated call waits as long as its client while the first one is in progress', async () => {
  await mockri?.close();
  // Far longer than the deadline of the second one.
  const latency = { runSandbox: ['500ms'] };
  mockri = await startMockri({ profile: 'cri-o-1.36', latency, referee: 'off' });
  const { client } = mockri;
  const { config } = createPodFixture(client, 'a');
  const first = client.runPodSandbox({ config });
  await expect(client.runPodSandbox({ config }, { timeout: 100 })).rejects.toThrow();
  const made = await first;
  expect(await client.runPodSandbox({ config })).toEqual(made);
});

test('what is looked at first, and what is not', async () => {
  const { cri, config, pod, create } = fixture;
  const gone = {
    podSandboxId: 'f00',
    config: { metadata: { name: 'a', attempt: 0 } },
    sandboxConfig: config,
  };
  expect(await answerOf(cri.createContainer(gone))).toBe('UNKNOWN: config image is nil');
  const group = { ...config, linux: { securityContext: { runAsGroup: { value: 1n } } } };
  expect(await answerOf(cri.runPodSandbox({ config: group }))).toBe('OK');
  await fixture.cri.removePodSandbox({ podSandboxId: await pod() });
  const containerId = await create(await pod(), 'app');
  await cri.updateContainerResources({ containerId, linux: { memoryLimitInBytes: 67_108_864n } });
  expect((await statusOf(containerId)).resources?.linux?.memorySwapLimitInBytes).toBe(67_108_864n);
});

test('of two removals of a sandbox at the same time, one fails', async () => {
  const { cri, pod } = fixture;
  const podSandboxId = await pod();
  const remove = () => answerOf(cri.removePodSandbox({ podSandboxId }));
  expect((await Promise.all([remove(), remove()])).sort()).toEqual([
    'OK',
    "UNKNOWN: failed to delete container k8s_POD_a_profiles_uid-a_0 in pod sandbox <id> from index: no such id: '<id>'",
  ]);
  expect(await remove()).toBe('OK');
});

test('rates come with the second look at a container', async () => {
  const { cri, running } = fixture;
  const { podSandboxId, containerId } = await running();
  const rateOf = async () => (await cri.containerStats({ containerId })).stats?.cpu?.usageNanoCores;
  const inPod = async () =>
    (await cri.podSandboxStats({ podSandboxId })).stats?.linux?.containers[0]?.cpu?.usageNanoCores;
  expect(await inPod()).toBeUndefined();
  expect(await rateOf()).toBeUndefined();
  expect(await inPod()).toBeDefined();
  expect(await rateOf()).toBeDefined();
});

test('a removal kills before its deadline', async () => {
  const { cri, pod, create } = fixture;
  const containerId = await create(await pod(), 'app', [
    'sh',
    '-c',
    'trap "" TERM; while :; do sleep 0.1; done',
  ]);
  await cri.startContainer({ containerId });
  await cri.execSync({ containerId, cmd: ['sleep', '0.02'] });
  expect(await answerOf(cri.removeContainer({ containerId }, { timeout: 1900 }))).toBe('OK');
});

test('stopped sandboxes have metrics, too', async () => {
  const { cri, running } = fixture;
  const { podSandboxId } = await running();
  await cri.stopPodSandbox({ podSandboxId });
  expect((await cri.listPodSandboxMetrics({})).podMetrics).toEqual([
    { podSandboxId, metrics: [], containerMetrics: [] },
  ]);
});

test('Exec and Attach look for their container, and there is one metric', async () => {
  const { cri } = fixture;
  const absent =
    'UNKNOWN: could not find container "f00": container with ID starting with f00 not found: ID does not exist';
  expect(await answerOf(cri.exec({ containerId: 'f00', cmd: ['true'], stdout: true }))).toBe(absent);
  expect(await answerOf(cri.attach({ containerId: 'f00', stdout: true }))).toBe(absent);
  const { podSandboxId, containerId } = await fixture.running();
  for await (const { containers } of cri.streamContainers({}))
    expect(containers).toMatchObject([{ id: containerId }]);
  const { descriptors } = await cri.listMetricDescriptors({});
  expect(descriptors.map(({ name }) => name)).toEqual(['container_last_seen']);
  const { podMetrics } = await cri.listPodSandboxMetrics({});
  expect(podMetrics).toMatchObject([
    {
      podSandboxId,
      metrics: [],
      containerMetrics: [{ containerId, metrics: [{ name: 'container_last_seen' }] }],
    },
  ]);
});

test('a stop signal of a config is obeyed, and not shown', async () => {
  const { cri } = fixture;
  const { podSandboxId } = await cri.runPodSandbox({ config: SANDBOX });
  const { containerId } = await cri.createContainer({
    podSandboxId,
    config: {
      metadata: { name: 'app', attempt: 0 },
      image: IMAGE,
      command: ['sh', '-c', "trap 'exit 7' USR1; while true; do sleep 1; done"],
      stopSignal: Signal.SIGNAL_SIGUSR1,
    },
    sandboxConfig: SANDBOX,
  });
  await cri.startContainer({ containerId });
  await cri.stopContainer({ containerId, timeout: 10n });
  const { status } = await cri.containerStatus({ containerId });
  expect(status).toMatchObject({ exitCode: 7, stopSignal: Signal.SIGNAL_RUNTIME_DEFAULT });
});

test('OCI specs have version 1.3.0', async () => {
  const { cri, running } = fixture;
  const { podSandboxId, containerId } = await running();
  const infos = [
    (await cri.podSandboxStatus({ podSandboxId, verbose: true })).info.info,
    (await cri.containerStatus({ containerId, verbose: true })).info.info,
  ];
  for (const info of infos) expect(JSON.parse(info ?? '').runtimeSpec).toMatchObject({ ociVersion: '1.3.0' });
});
