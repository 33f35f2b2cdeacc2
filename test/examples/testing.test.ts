import { startMockri } from 'mockri/testing';
import { expect, test } from 'vitest';

const IMAGE = 'registry.k8s.io/e2e-test-images/busybox:1.29-2';
const sandboxConfig = { metadata: { name: 'web', namespace: 'default', uid: 'u1', attempt: 0 }, linux: {} };

test('a client can retry a start that fails once', async () => {
  await using mockri = await startMockri();
  const { client } = mockri;
  await client.pullImage({ image: { image: IMAGE } });
  const { podSandboxId } = await client.runPodSandbox({ config: sandboxConfig });
  const config = { metadata: { name: 'app', attempt: 0 }, image: { image: IMAGE }, command: ['sleep', '1h'] };
  const { containerId } = await client.createContainer({ podSandboxId, config, sandboxConfig });

  mockri.fault('StartContainer').once().error('UNAVAILABLE', 'connection error');
  await expect(client.startContainer({ containerId })).rejects.toMatchObject({ codeName: 'UNAVAILABLE' });
  await client.startContainer({ containerId });

  expect(mockri.container('app').state).toBe('RUNNING');
  expect(mockri.calls({ method: 'StartContainer' }).map(({ code, faults }) => [code, faults])).toEqual([
    [14, ['error-StartContainer-1']],
    [0, []],
  ]);
  mockri.assertNoPendingFaults();
  mockri.assertClean();
});

test('a hang of five minutes takes no real time', async () => {
  await using mockri = await startMockri({ clock: 'virtual' });
  mockri.fault('ListContainers').hang('5m');
  const begun = mockri.clock.elapsed();
  await mockri.runUntil(mockri.client.listContainers({}));
  expect(mockri.clock.elapsed() - begun).toBe(300_000);
});
