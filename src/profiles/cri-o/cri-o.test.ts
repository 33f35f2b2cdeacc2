import { afterEach, beforeEach, expect, test } from 'vitest';
import { answerOf, createTrial, IMAGE, type Trial } from '../../../test/support/profiles/trial.js';
import { type Mockri, startMockri } from '../../testing/index.js';

/** From the source of CRI-O 1.34.11 (directory server). */

let mockri: Mockri | undefined;
let trial: Trial;
beforeEach(async () => {
  mockri = await startMockri({ profile: 'cri-o-1.34', referee: 'off' });
  await mockri.client.pullImage({ image: IMAGE });
  trial = createTrial(mockri.client, 'a');
});
afterEach(() => mockri?.close());

test('a repeated request is answered with the object that is there', async () => {
  const { pod, create } = trial;
  const podSandboxId = await pod();
  expect(await pod()).toBe(podSandboxId);
  const containerId = await create(podSandboxId, 'app');
  expect(await create(podSandboxId, 'app')).toBe(containerId);
});

test('unknown and empty ids', async () => {
  const { cri } = trial;
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
  const { cri, running, create } = trial;
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
  const { cri, pod, create } = trial;
  const podSandboxId = await pod();
  expect(await answerOf(create(podSandboxId, 'app', ['nope']))).toContain(
    'container create failed: executable file `nope` not found in $PATH',
  );
  expect((await cri.listContainers({})).containers).toEqual([]);
  await create(podSandboxId, 'app');
});

test('a command beyond its timeout is a reply', async () => {
  const { cri, running } = trial;
  const { containerId } = await running();
  const reply = await cri.execSync({ containerId, cmd: ['sleep', '60'], timeout: 1n });
  expect(reply).toMatchObject({ exitCode: -1, stderr: Buffer.from('command timed out') });
});

test('a sandbox has the labels of the kubelet, and the stream of events is empty', async () => {
  const { cri, pod } = trial;
  const { status } = await cri.podSandboxStatus({ podSandboxId: await pod() });
  expect(status?.labels).toMatchObject({
    'io.kubernetes.pod.name': 'a',
    'io.kubernetes.container.name': 'POD',
  });
  for await (const event of cri.getContainerEvents({})) expect.unreachable(JSON.stringify(event));
  expect(await cri.version({})).toMatchObject({ runtimeName: 'cri-o', runtimeVersion: '1.34.11' });
});
