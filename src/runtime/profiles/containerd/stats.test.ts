import { expect, test } from 'vitest';
import { answerOf, createPodFixture, IMAGE } from '../../../../test/support/profiles/pod-fixture.js';
import { usePodFixtures } from '../../../../test/support/profiles/use-pod-fixtures.js';
import { NamespaceMode } from '../../../cri/gen/runtime/v1/api.js';

/** What containerd's statistics have, as seen. */

const start = usePodFixtures();

test('usage of a sandbox needs its cgroup parent, and the sandbox', async () => {
  const { cri, pod } = await start('containerd-2.4');
  const podSandboxId = await pod();
  const noCgroup = 'failed getting metrics for sandbox <id>: sandbox "<id>" has no cgroup parent';
  expect(await answerOf(cri.podSandboxStats({ podSandboxId }))).toBe(
    `UNKNOWN: failed to decode pod sandbox metrics <id>: ${noCgroup}`,
  );
  expect(await answerOf(cri.listPodSandboxStats({}))).toBe(
    `UNKNOWN: failed to decode sandbox container metrics for sandbox "<id>": ${noCgroup}`,
  );
  await cri.stopPodSandbox({ podSandboxId });
  expect(await answerOf(cri.podSandboxStats({ podSandboxId }))).toMatch(
    /^UNAVAILABLE: .* "<id>" is not in ready state: unavailable$/,
  );
  expect(await answerOf(cri.listPodSandboxStats({}))).toBe('OK');
});

test('usage of a sandbox in the network of the host has no network', async () => {
  const { cri, config } = await start('containerd-2.4');
  const networkOf = async (name: string, network: NamespaceMode) => {
    const { podSandboxId } = await cri.runPodSandbox({
      config: {
        ...config,
        metadata: { name, uid: name, namespace: 'profiles', attempt: 0 },
        linux: { cgroupParent: '/pods', securityContext: { namespaceOptions: { network } } },
      },
    });
    const { stats } = await cri.podSandboxStats({ podSandboxId });
    return stats?.linux?.network?.defaultInterface?.name;
  };
  expect(await networkOf('host', NamespaceMode.NODE)).toBeUndefined();
  expect(await networkOf('own', NamespaceMode.POD)).toBe('eth0');
  const { stats } = await cri.listPodSandboxStats({});
  expect(stats.filter(({ linux }) => linux?.network !== undefined)).toHaveLength(1);
});

test('a list names all sandboxes that fail', async () => {
  const { cri, pod } = await start('containerd-2.4');
  await pod();
  await createPodFixture(cri, 'b').pod();
  expect(await answerOf(cri.listPodSandboxStats({}))).toMatch(/^UNKNOWN: failed.*\nfailed.*$/);
});

test('layers of all containers are shown, with no size in the first seconds', async () => {
  const { cri, running } = await start('containerd-2.4');
  const { containerId } = await running();
  const layer = async () => (await cri.listContainerStats({})).stats[0]?.writableLayer;
  expect(await layer()).toMatchObject({ timestamp: 0n, usedBytes: { value: 0n } });
  await cri.stopContainer({ containerId });
  expect(await layer()).toMatchObject({ timestamp: 0n });
});

test('usage of a sandbox has all its containers', async () => {
  const { cri, config } = await start('containerd-2.4');
  const limited = { ...config, linux: { cgroupParent: '/pods' } };
  const { podSandboxId } = await cri.runPodSandbox({ config: limited });
  const app = { metadata: { name: 'app', attempt: 0 }, image: IMAGE };
  const { containerId } = await cri.createContainer({ podSandboxId, config: app, sandboxConfig: limited });
  const { stats } = await cri.podSandboxStats({ podSandboxId });
  expect(stats?.linux?.containers).toMatchObject([{ attributes: { id: containerId }, cpu: undefined }]);
});
