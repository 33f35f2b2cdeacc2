import { afterEach, expect, test } from 'vitest';
import { answerOf, createTrial, IMAGE, type Trial } from '../../../test/support/profiles/trial.js';
import { type Mockri, startMockri } from '../../testing/index.js';
import type { RuntimeProfileName } from '../index.js';

/** What containerd 2.1.9 and 1.7.24 were seen to answer, beyond what test/peers/profiles measures. */

let mockri: Mockri | undefined;
afterEach(() => mockri?.close());

/** Removals of sandboxes take a moment, so that two at the same time meet. */
const TIMES = { removeSandbox: ['20ms'] };

async function start(profile: RuntimeProfileName): Promise<Trial> {
  mockri = await startMockri({ profile, latency: TIMES, referee: 'off' });
  await mockri.client.pullImage({ image: IMAGE });
  return createTrial(mockri.client, 'a');
}

test('usage of a sandbox needs its cgroup parent, and the sandbox', async () => {
  const { cri, pod } = await start('containerd-2.1');
  const podSandboxId = await pod();
  const noCgroup =
    'failed getting metrics for sandbox <id>: failed to get cgroup metrics for sandbox <id> because cgroupPath is empty';
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

test('1.7 names all sandboxes that fail', async () => {
  const { cri, pod } = await start('containerd-1.7');
  await pod();
  await createTrial(cri, 'b').pod();
  expect(await answerOf(cri.listPodSandboxStats({}))).toMatch(
    /^UNKNOWN: 2 errors occurred:\n\t\* failed.*\n\t\* failed.*\n\n$/,
  );
});

test('a state comes before the rest of a request', async () => {
  const { cri, pod, create } = await start('containerd-2.1');
  const containerId = await create(await pod(), 'app');
  const created = 'UNKNOWN: container is in CONTAINER_CREATED state';
  expect(await answerOf(cri.attach({ containerId }))).toBe(created);
  expect(await answerOf(cri.exec({ containerId }))).toBe(created);
  expect(await answerOf(cri.execSync({ containerId }))).toContain('container is in CONTAINER_CREATED state');
  expect(await answerOf(cri.updateContainerResources({ containerId }))).toBe('OK');
  await cri.startContainer({ containerId });
  expect(await answerOf(cri.exec({ containerId, stdout: true }))).toBe('OK');
  expect(await answerOf(cri.attach({ containerId }))).toBe(
    'INVALID_ARGUMENT: one of stdin, stdout, and stderr must be set',
  );
});

test('a name that is taken comes before the rest of a config', async () => {
  const { cri, config, pod, create } = await start('containerd-2.1');
  const podSandboxId = await pod();
  await create(podSandboxId, 'app');
  const mounts = [{ containerPath: '/data', hostPath: '/tmp', recursiveReadOnly: true }];
  const app = { metadata: { name: 'app', attempt: 0 }, image: IMAGE, mounts };
  expect(await answerOf(cri.createContainer({ podSandboxId, config: app, sandboxConfig: config }))).toMatch(
    /^FAILED_PRECONDITION/,
  );
  expect(await answerOf(cri.runPodSandbox({ config, runtimeHandler: 'fast' }))).toMatch(
    /^FAILED_PRECONDITION/,
  );
});

test('1.7 does not look at recursive read-only mounts', async () => {
  const { cri, config, pod } = await start('containerd-1.7');
  const mounts = [{ containerPath: '/data', hostPath: '/tmp', recursiveReadOnly: true }];
  const app = { metadata: { name: 'app', attempt: 0 }, image: IMAGE, mounts };
  expect(
    await answerOf(cri.createContainer({ podSandboxId: await pod(), config: app, sandboxConfig: config })),
  ).toBe('OK');
});

test('two removals of a sandbox at the same time send two DELETED', async () => {
  const { cri, pod } = await start('containerd-2.1');
  const podSandboxId = await pod();
  const abort = new AbortController();
  const seen: (string | undefined)[] = [];
  const reading = (async () => {
    for await (const { containerEventType, podSandboxStatus } of cri.getContainerEvents(
      {},
      { signal: abort.signal },
    ))
      if (containerEventType === 3) seen.push(podSandboxStatus?.id);
  })().catch(() => {});
  await Promise.all([cri.removePodSandbox({ podSandboxId }), cri.removePodSandbox({ podSandboxId })]);
  await cri.version({});
  abort.abort();
  await reading;
  expect(seen).toEqual([podSandboxId, undefined]);
});

test('layers of all containers are shown, with no size in the first seconds', async () => {
  const { cri, running } = await start('containerd-2.1');
  const { containerId } = await running();
  const layer = async () => (await cri.listContainerStats({})).stats[0]?.writableLayer;
  expect(await layer()).toMatchObject({ timestamp: 0n, usedBytes: { value: 0n } });
  await cri.stopContainer({ containerId });
  expect(await layer()).toMatchObject({ timestamp: 0n });
});

test('the name of a container is taken in all sandboxes of its pod, until it is removed', async () => {
  const { cri, config, pod } = await start('containerd-2.1');
  const first = await pod();
  await cri.stopPodSandbox({ podSandboxId: first });
  const again = { ...config, metadata: { ...config.metadata, attempt: 1 } };
  const { podSandboxId: second } = await cri.runPodSandbox({ config: again });
  const create = (podSandboxId: string, attempt = 0) =>
    cri.createContainer({
      podSandboxId,
      config: { metadata: { name: 'app', attempt }, image: IMAGE },
      sandboxConfig: again,
    });
  const { containerId } = await create(first);
  expect(await answerOf(create(second))).toMatch(
    /^FAILED_PRECONDITION: failed to reserve container name ".*"; check .* is reserved for "<id>"$/,
  );
  expect(await answerOf(create(second, 1))).toBe('OK');
  await cri.removeContainer({ containerId });
  expect(await answerOf(create(second))).toBe('OK');
  await cri.removePodSandbox({ podSandboxId: second });
  expect(await answerOf(create(first))).toBe('OK');
});
