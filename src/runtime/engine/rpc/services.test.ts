import { beforeEach, describe, expect, it } from 'vitest';
import { createEngineRig, type EngineRig, image, kind } from '../../../../test/support/runtime/engine-rig.js';

let rig: EngineRig;
let cri: EngineRig['cri'];
let podSandboxId: string;
let containerId: string;

beforeEach(async () => {
  rig = await createEngineRig();
  cri = rig.cri;
  podSandboxId = await rig.pod();
  containerId = await rig.container(podSandboxId);
  await cri.startContainer({ containerId });
});

describe('what the runtime tells', () => {
  it('verbose is JSON, under the keys of containerd (INV-24)', async () => {
    const container = (await cri.containerStatus({ containerId, verbose: true })).info;
    expect(JSON.parse(container.info ?? '')).toMatchObject({
      sandboxID: podSandboxId,
      pid: 2,
      big: '3',
      config: { metadata: { name: 'app' }, command: ['sleep', '3600'] },
    });
    const { info, status } = await cri.podSandboxStatus({ podSandboxId, verbose: true });
    expect(JSON.parse(info.info ?? '')).toMatchObject({ config: { labels: { app: 'web' } }, pid: 1 });
    expect(status?.id).toBe(podSandboxId);
    const runtimeInfo = (await cri.status({ verbose: true })).info;
    expect(JSON.parse(runtimeInfo.config ?? '')).toMatchObject({ runtimeName: 'fake' });
    expect((await cri.imageStatus({ image, verbose: true })).info.info).toMatch(/^{"chainID"/);
  });

  it('Version is ready bytes', () => {
    const call = { signal: new AbortController().signal, deadline: undefined };
    const first = rig.runtime.service.version({ version: '' }, call);
    expect(Buffer.isBuffer(first)).toBe(true);
    expect(rig.runtime.service.version({ version: '' }, call)).toBe(first);
  });

  it('a list is the same bytes until something changes', async () => {
    const call = { signal: new AbortController().signal, deadline: undefined };
    const list = () => rig.runtime.service.listContainers({ filter: undefined }, call);
    const before = list();
    expect(list()).toBe(before);
    await cri.stopContainer({ containerId });
    expect(list()).not.toBe(before);
  });

  it('metrics are those that have a descriptor (INV-49)', async () => {
    const [pod] = (await cri.listPodSandboxMetrics()).podMetrics;
    expect(pod?.metrics.map(({ name, labelValues }) => [name, labelValues])).toEqual([['described', ['1']]]);
    expect(await cri.streamPodSandboxMetrics()).toHaveLength(1);
  });

  it('streams nothing for an empty list (INV-20)', async () => {
    expect(await cri.streamContainers({ filter: { id: 'none' } })).toEqual([]);
  });

  it('splits a list into messages of a given number of items', async () => {
    const { cri, pod } = await createEngineRig({ streamItems: 2 });
    for (const name of ['a', 'b', 'c']) await pod(name);
    const messages = await cri.streamPodSandboxes({});
    expect(messages.map(({ podSandboxes }) => podSandboxes.length)).toEqual([2, 1]);
  });

  it('pod_cidr is kept until another comes (INV-52)', async () => {
    await cri.updateRuntimeConfig({ runtimeConfig: { networkConfig: { podCidr: '10.1.0.0/16,fd00::/64' } } });
    await cri.updateRuntimeConfig({});
    expect((await cri.status({ verbose: true })).info.config).toContain('10.1.0.0/16,fd00::/64');
    for (const podCidr of ['nonsense', '10.0.0.0/33', '10.0.0.0'])
      await expect(
        cri.updateRuntimeConfig({ runtimeConfig: { networkConfig: { podCidr } } }),
      ).rejects.toEqual(kind('invalid'));
  });
});

describe('resources', () => {
  it('are in the status after an update, and unchanged after a failed one', async () => {
    await cri.updateContainerResources({ containerId, linux: { cpuShares: 7n } });
    const shares = async () =>
      (await cri.containerStatus({ containerId })).status?.resources?.linux?.cpuShares;
    expect(await shares()).toBe(7n);
    rig.backend.failures.updateContainerResources = new Error('no');
    await expect(cri.updateContainerResources({ containerId, linux: { cpuShares: 9n } })).rejects.toThrow(
      'no',
    );
    expect(await shares()).toBe(7n);
  });
});
