import { IMAGE, type PodFixture } from './pod-fixture.js';

const NOBODY = 'f'.repeat(64);

/** Makes one call that distinguishes runtimes; its reply is the measurement. */
export type Probe = (fixture: PodFixture) => Promise<unknown>;

/** Two concurrent calls; fails as one of them does. */
async function both(call: () => Promise<unknown>): Promise<void> {
  const calls = [call(), call()];
  await Promise.allSettled(calls);
  await Promise.all(calls);
}

const unknownIds: Readonly<Record<string, Probe>> = {
  'StartContainer of an unknown id': ({ cri }) => cri.startContainer({ containerId: NOBODY }),
  'StopContainer of an unknown id': ({ cri }) => cri.stopContainer({ containerId: NOBODY }),
  'RemoveContainer of an unknown id': ({ cri }) => cri.removeContainer({ containerId: NOBODY }),
  'ContainerStatus of an unknown id': ({ cri }) => cri.containerStatus({ containerId: NOBODY }),
  'ContainerStats of an unknown id': ({ cri }) => cri.containerStats({ containerId: NOBODY }),
  'UpdateContainerResources of an unknown id': ({ cri }) =>
    cri.updateContainerResources({ containerId: NOBODY, linux: {} }),
  'ReopenContainerLog of an unknown id': ({ cri }) => cri.reopenContainerLog({ containerId: NOBODY }),
  'ExecSync in an unknown id': ({ cri }) => cri.execSync({ containerId: NOBODY, cmd: ['true'] }),
  'Exec without streams in an unknown id': ({ cri }) => cri.exec({ containerId: NOBODY, cmd: ['true'] }),
  'Attach to an unknown id': ({ cri }) => cri.attach({ containerId: NOBODY, stdout: true }),
  'PortForward of an unknown id': ({ cri }) => cri.portForward({ podSandboxId: NOBODY, port: [80] }),
  'StopPodSandbox of an unknown id': ({ cri }) => cri.stopPodSandbox({ podSandboxId: NOBODY }),
  'RemovePodSandbox of an unknown id': ({ cri }) => cri.removePodSandbox({ podSandboxId: NOBODY }),
  'PodSandboxStatus of an unknown id': ({ cri }) => cri.podSandboxStatus({ podSandboxId: NOBODY }),
  'PodSandboxStats of an unknown id': ({ cri }) => cri.podSandboxStats({ podSandboxId: NOBODY }),
  'StopPodSandbox of an empty id': ({ cri }) => cri.stopPodSandbox({ podSandboxId: '' }),
  'ContainerStatus of an empty id': ({ cri }) => cri.containerStatus({ containerId: '' }),
  'CreateContainer in an unknown sandbox': ({ cri, config }) =>
    cri.createContainer({
      podSandboxId: NOBODY,
      config: { metadata: { name: 'app', attempt: 0 }, image: IMAGE },
      sandboxConfig: config,
    }),
};

const images: Readonly<Record<string, Probe>> = {
  'ImageStatus without an image': ({ cri }) => cri.imageStatus({}),
  'ImageStatus of a malformed name': ({ cri }) => cri.imageStatus({ image: { image: 'Not An Image' } }),
  'ImageStatus of an absent image': ({ cri }) => cri.imageStatus({ image: { image: 'absent:1' } }),
  'PullImage without an image': ({ cri }) => cri.pullImage({}),
  'PullImage of a malformed name': ({ cri }) => cri.pullImage({ image: { image: 'Not An Image' } }),
  'RemoveImage without an image': ({ cri }) => cri.removeImage({}),
  'RemoveImage of a malformed name': ({ cri }) => cri.removeImage({ image: { image: 'Not An Image' } }),
  'RemoveImage of an absent image': ({ cri }) => cri.removeImage({ image: { image: 'absent:1' } }),
  'CreateContainer of an absent image': async ({ cri, config, pod }) =>
    cri.createContainer({
      podSandboxId: await pod(),
      config: { metadata: { name: 'app', attempt: 0 }, image: { image: 'absent:1' } },
      sandboxConfig: config,
    }),
  'CreateContainer of a malformed name': async ({ cri, config, pod }) =>
    cri.createContainer({
      podSandboxId: await pod(),
      config: { metadata: { name: 'app', attempt: 0 }, image: { image: 'Not An Image' } },
      sandboxConfig: config,
    }),
};

const configs: Readonly<Record<string, Probe>> = {
  'RunPodSandbox without a config': ({ cri }) => cri.runPodSandbox({}),
  'RunPodSandbox without metadata': ({ cri, config }) =>
    cri.runPodSandbox({ config: { ...config, metadata: undefined } }),
  'RunPodSandbox of a name that is taken': async ({ pod }) => {
    await pod();
    await pod();
  },
  'RunPodSandbox with an unknown handler': ({ cri, config }) =>
    cri.runPodSandbox({ config, runtimeHandler: 'fast' }),
  'RunPodSandbox with the handler runc': ({ cri, config }) =>
    cri.runPodSandbox({ config, runtimeHandler: 'runc' }),
  'CreateContainer of a name that is taken': async ({ pod, create }) => {
    const id = await pod();
    await create(id, 'app');
    await create(id, 'app');
  },
  'CreateContainer without a config': async ({ cri, config, pod }) =>
    cri.createContainer({ podSandboxId: await pod(), sandboxConfig: config }),
  'CreateContainer without metadata': async ({ cri, config, pod }) =>
    cri.createContainer({ podSandboxId: await pod(), config: { image: IMAGE }, sandboxConfig: config }),
};

const states: Readonly<Record<string, Probe>> = {
  'CreateContainer in a stopped sandbox': async ({ cri, pod, create }) => {
    const podSandboxId = await pod();
    await cri.stopPodSandbox({ podSandboxId });
    await create(podSandboxId, 'app');
  },
  'StartContainer of a running container': async ({ cri, running }) =>
    cri.startContainer({ containerId: (await running()).containerId }),
  'StartContainer of an ended container': async ({ cri, running }) => {
    const { containerId } = await running();
    await cri.stopContainer({ containerId });
    await cri.startContainer({ containerId });
  },
  'StartContainer in a stopped sandbox': async ({ cri, pod, create }) => {
    const podSandboxId = await pod();
    const containerId = await create(podSandboxId, 'app');
    await cri.stopPodSandbox({ podSandboxId });
    await cri.startContainer({ containerId });
  },
  'StartContainer of an absent program': async ({ cri, pod, create }) => {
    const containerId = await create(await pod(), 'app', ['/no/such/program']);
    await cri.startContainer({ containerId });
  },
  'StopContainer of a created container': async ({ cri, pod, create }) =>
    cri.stopContainer({ containerId: await create(await pod(), 'app') }),
  'RemoveContainer of a running container': async ({ cri, running }) =>
    cri.removeContainer({ containerId: (await running()).containerId }),
  'RemovePodSandbox of a running pod': async ({ cri, running }) =>
    cri.removePodSandbox({ podSandboxId: (await running()).podSandboxId }),
  'ExecSync in a created container': async ({ cri, pod, create }) =>
    cri.execSync({ containerId: await create(await pod(), 'app'), cmd: ['true'] }),
  'ExecSync of an absent program': async ({ cri, running }) =>
    cri.execSync({ containerId: (await running()).containerId, cmd: ['/no/such/program'] }),
  'ExecSync without a command': async ({ cri, running }) =>
    cri.execSync({ containerId: (await running()).containerId, cmd: [] }),
  'ReopenContainerLog of a created container': async ({ cri, pod, create }) =>
    cri.reopenContainerLog({ containerId: await create(await pod(), 'app') }),
  'StartContainer twice at the same time': async ({ cri, pod, create }) => {
    const containerId = await create(await pod(), 'app');
    await both(() => cri.startContainer({ containerId }));
  },
  'RemoveContainer twice at the same time': async ({ cri, running }) => {
    const { containerId } = await running();
    await both(() => cri.removeContainer({ containerId }));
  },
  'CheckpointContainer without CRIU': async ({ cri, running }) =>
    cri.checkpointContainer({ containerId: (await running()).containerId, location: '/nowhere/c.tar' }),
  'UpdateContainerResources of an ended container': async ({ cri, running }) => {
    const { containerId } = await running();
    await cri.stopContainer({ containerId });
    await cri.updateContainerResources({ containerId, linux: { cpuShares: 512n } });
  },
  'PortForward of a stopped sandbox': async ({ cri, pod }) => {
    const podSandboxId = await pod();
    await cri.stopPodSandbox({ podSandboxId });
    await cri.portForward({ podSandboxId, port: [80] });
  },
};

const rpcs: Readonly<Record<string, Probe>> = {
  RuntimeConfig: ({ cri }) => cri.runtimeConfig({}),
  ListMetricDescriptors: ({ cri }) => cri.listMetricDescriptors({}),
  ListPodSandboxMetrics: ({ cri }) => cri.listPodSandboxMetrics({}),
  'StreamContainers, of a later CRI': async ({ cri }) => {
    for await (const _ of cri.streamContainers({}));
  },
};

/** By the question that each answers, in the order of the calls. */
export const probes: Readonly<Record<string, Probe>> = {
  ...unknownIds,
  ...images,
  ...configs,
  ...states,
  ...rpcs,
};
