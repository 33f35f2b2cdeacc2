import { afterEach, describe, expect, test } from 'vitest';
import { identityOf } from '../../../test/support/profiles/identity.js';
import { readMeasurement } from '../../../test/support/profiles/measurement.js';
import {
  answerOf,
  cleanUp,
  createPodFixture,
  IMAGE,
  SHORT_TIMES,
} from '../../../test/support/profiles/pod-fixture.js';
import { probes } from '../../../test/support/profiles/probes.js';
import { ofAll, sampleOf } from '../../../test/support/thorough.js';
import type { CriClient } from '../../cri/client/client.js';
import { ContainerState, Signal } from '../../cri/gen/runtime/v1/api.js';
import { type Mockri, startMockri } from '../../testing/index.js';
import { type RuntimeProfileName, runtimeProfiles } from './index.js';

const SANDBOX = { metadata: { name: 'web', uid: 'u1', namespace: 'default', attempt: 0 } };

/** What the engine can't have as the runtime has it (docs/profiles.md). */
const UNLIKE: Partial<Record<RuntimeProfileName, Readonly<Record<string, string>>>> = {
  // Docker knows no sandboxes, and looks for the one whose namespaces a container joins.
  'cri-dockerd-0.4': {
    'CreateContainer in an unknown sandbox': 'UNKNOWN: Error response from daemon: No such container: <id>',
  },
};

let mockri: Mockri | undefined;
afterEach(() => mockri?.close());

async function start(profile: RuntimeProfileName): Promise<CriClient> {
  mockri = await startMockri({ profile, latency: SHORT_TIMES, referee: 'off' });
  await mockri.client.pullImage({ image: IMAGE });
  return mockri.client;
}

async function makePod(cri: CriClient) {
  const { podSandboxId } = await cri.runPodSandbox({ config: SANDBOX });
  const create = (name: string, command: readonly string[]) =>
    cri.createContainer({
      podSandboxId,
      config: { metadata: { name, attempt: 0 }, image: IMAGE, command },
      sandboxConfig: SANDBOX,
    });
  return { podSandboxId, create };
}

test.each([
  ['strict', true],
  ['containerd-2.4', false],
] as const)('%s: the status of a mounted image says what it was resolved to: %s', async (profile, isSaid) => {
  const cri = await start(profile);
  const { podSandboxId } = await cri.runPodSandbox({ config: SANDBOX });
  const { imageRef } = await cri.pullImage({ image: IMAGE });
  const { containerId } = await cri.createContainer({
    podSandboxId,
    config: {
      metadata: { name: 'app', attempt: 0 },
      image: IMAGE,
      mounts: [{ containerPath: '/data', image: IMAGE, readonly: true }],
    },
    sandboxConfig: SANDBOX,
  });
  const { status } = await cri.containerStatus({ containerId });
  expect(status?.mounts).toMatchObject([{ image: { ...IMAGE, imageRef: isSaid ? imageRef : '' } }]);
});

const measuredProfiles = ['containerd-2.4', 'containerd-2.3', 'cri-o-1.36', 'cri-dockerd-0.4'] as const;
const some = sampleOf(measuredProfiles, 1);

describe.each(some)(`%s (${ofAll(some.length, measuredProfiles.length, 'profiles')})`, (profile) => {
  const measured = readMeasurement(profile);

  test('answers as measured', async () => {
    const cri = await start(profile);
    const answers: Record<string, string> = {};
    for (const [index, [what, probe]] of Object.entries(probes).entries()) {
      await cri.pullImage({ image: IMAGE });
      answers[what] = await answerOf(probe(createPodFixture(cri, `probe-${index}`)));
      await cleanUp(cri);
    }
    expect(answers).toEqual({ ...measured.answers, ...UNLIKE[profile] });
  });

  test('says of itself what was measured', async () => {
    const cri = await start(profile);
    expect(await identityOf(cri, createPodFixture(cri, 'identity'))).toEqual(measured.identity);
  });

  test('takes the measured times', () => {
    expect(runtimeProfiles[profile]?.latency()).toEqual(measured.latency);
  });
});

test('a container that cannot be started sends no STOPPED, and PodSandboxStatus has no containers', async () => {
  const cri = await start('containerd-2.4');
  const abort = new AbortController();
  const types: number[] = [];
  const reading = (async () => {
    for await (const { containerEventType } of cri.getContainerEvents({}, { signal: abort.signal }))
      types.push(containerEventType);
  })().catch(() => {});
  const { podSandboxId, create } = await makePod(cri);
  const { containerId } = await create('app', ['/no/such/program']);
  expect(await answerOf(cri.startContainer({ containerId }))).toMatch(
    /^UNKNOWN: failed to create containerd task/,
  );
  const { status } = await cri.containerStatus({ containerId });
  expect(status).toMatchObject({ exitCode: 128, reason: 'StartError', startedAt: 0n });
  expect(await cri.podSandboxStatus({ podSandboxId })).toMatchObject({
    containersStatuses: [],
    timestamp: 0n,
  });
  await cri.removePodSandbox({ podSandboxId });
  abort.abort();
  await reading;
  // CREATED and STARTED of the sandbox can come before the subscription; no STOPPED of the container follows its CREATED.
  expect(types.slice(-4)).toEqual([0, 2, 3, 3]);
});

test('lists are as containerd has them', async () => {
  const cri = await start('containerd-2.4');
  const { create } = await makePod(cri);
  const { containerId } = await create('app', ['true']);
  const { containers } = await cri.listContainers({});
  expect(containers[0]).toMatchObject({ id: containerId, state: ContainerState.CONTAINER_CREATED });
  const { images } = await cri.listImages({ filter: { image: { image: 'other' } } });
  expect(images).toHaveLength(1);
  const { stats } = await cri.listContainerStats({});
  expect(stats.map(({ cpu }) => cpu)).toEqual([undefined]);
});

test('2.4 lists image ids, and has information of sandboxes without being asked', async () => {
  const cri = await start('containerd-2.4');
  const { podSandboxId, create } = await makePod(cri);
  const { containerId } = await create('app', ['true']);
  const { containers } = await cri.listContainers({});
  expect(containers[0]?.imageId).toMatch(/^sha256:/);
  expect((await cri.containerStatus({ containerId })).status).toMatchObject({
    imageId: containers[0]?.imageId,
    stopSignal: Signal.SIGNAL_SIGTERM,
  });
  await cri.updatePodSandboxResources({ podSandboxId, resources: { cpuShares: 5n } });
  const { info } = await cri.podSandboxStatus({ podSandboxId });
  expect(JSON.parse(info.info ?? '')).toMatchObject({
    pid: 0,
    config: null,
    overhead: {},
    resources: { linux: { cpu_shares: 5 } },
  });
  expect(await answerOf(cri.updatePodSandboxResources({ podSandboxId: 'none' }))).toBe(
    'NOT_FOUND: failed to find sandbox: not found',
  );
});

test('2.4 has metrics of pods and of running containers, with the labels of its descriptors', async () => {
  const cri = await start('containerd-2.4');
  const { podSandboxId, create } = await makePod(cri);
  const { containerId } = await create('app', ['sleep', '100']);
  await create('created', ['true']);
  await cri.startContainer({ containerId });
  const { podMetrics } = await cri.listPodSandboxMetrics({});
  const [pod] = podMetrics;
  expect(pod?.metrics.map(({ name, labelValues }) => [name, ...labelValues])[0]).toEqual([
    'container_network_receive_bytes_total',
    ...['web', 'default', '', podSandboxId, '', 'eth0'],
  ]);
  expect(pod?.containerMetrics.map((one) => one.containerId)).toEqual([containerId]);
  const metrics = pod?.containerMetrics[0]?.metrics ?? [];
  const { descriptors } = await cri.listMetricDescriptors({});
  const keys = new Map(descriptors.map(({ name, labelKeys }) => [name, labelKeys.length]));
  for (const { name, labelValues } of metrics)
    expect([name, labelValues.length]).toEqual([name, keys.get(name)]);
  expect(metrics.map(({ name }) => name)).not.toContain('container_spec_memory_limit_bytes');
});

test('2.3 has no metrics of a pod with a container that does not run', async () => {
  const cri = await start('containerd-2.3');
  const { create } = await makePod(cri);
  const { containerId } = await create('app', ['sleep', '100']);
  expect((await cri.listPodSandboxMetrics({})).podMetrics).toEqual([]);
  await cri.startContainer({ containerId });
  const { podMetrics } = await cri.listPodSandboxMetrics({});
  const names = podMetrics[0]?.containerMetrics[0]?.metrics.map(({ name }) => name) ?? [];
  expect(names).toContain('container_processes');
  expect(names).not.toContain('container_threads');
});

test('Version and Status are those of containerd', async () => {
  const cri = await start('containerd-2.4');
  expect(await cri.version({})).toMatchObject({
    runtimeName: 'containerd',
    runtimeVersion: '2.4.2+unknown',
  });
  const { status, runtimeHandlers } = await cri.status({});
  expect(status?.conditions.map(({ type }) => type)).toContain('ContainerdHasNoDeprecationWarnings');
  expect(runtimeHandlers.map(({ name }) => name)).toEqual(['', 'runc']);
});
