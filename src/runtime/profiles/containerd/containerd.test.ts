import { expect, test } from 'vitest';
import { answerOf, createWith, IMAGE } from '../../../../test/support/profiles/pod-fixture.js';
import { usePodFixtures } from '../../../../test/support/profiles/use-pod-fixtures.js';
import { Signal } from '../../../cri/gen/runtime/v1/api.js';

/** What containerd was seen to answer, beyond what test/peers/slow/profiles measures. */

const start = usePodFixtures();

test('a state comes before the rest of a request', async () => {
  const { cri, pod, create } = await start('containerd-2.4');
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
  const { cri, config, pod, create } = await start('containerd-2.4');
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

test('the parts of names are joined', async () => {
  const { cri, config } = await start('containerd-2.4');
  const metadata = (name: string, namespace: string) => ({ name, namespace, uid: 'u', attempt: 0 });
  const run = (name: string, namespace: string) =>
    cri.runPodSandbox({ config: { ...config, metadata: metadata(name, namespace) } });
  const { podSandboxId } = await run('a_b', 'c');
  expect(await answerOf(run('a', 'b_c'))).toBe(
    'FAILED_PRECONDITION: failed to reserve sandbox name "a_b_c_u_0": name "a_b_c_u_0" is reserved for "<id>"',
  );
  const create = (name: string, pod: string) =>
    cri.createContainer({
      podSandboxId,
      config: { metadata: { name, attempt: 0 }, image: IMAGE },
      sandboxConfig: { ...config, metadata: metadata(pod, 'n') },
    });
  await create('x_y', 'p');
  expect(await answerOf(create('x', 'y_p'))).toMatch(/^FAILED_PRECONDITION: .* "x_y_p_n_u_0"/);
  await cri.removePodSandbox({ podSandboxId });
  await run('a', 'b_c');
});

test('the name of a container is taken in all sandboxes of its pod, until it is removed', async () => {
  const { cri, config, pod, create: createIn } = await start('containerd-2.4');
  const first = await pod();
  const containerId = await createIn(first, 'app');
  await cri.stopPodSandbox({ podSandboxId: first });
  const again = { ...config, metadata: { ...config.metadata, attempt: 1 } };
  const { podSandboxId: second } = await cri.runPodSandbox({ config: again });
  const create = (attempt = 0) =>
    cri.createContainer({
      podSandboxId: second,
      config: { metadata: { name: 'app', attempt }, image: IMAGE },
      sandboxConfig: again,
    });
  expect(await answerOf(create())).toMatch(
    /^FAILED_PRECONDITION: failed to reserve container name ".*"; check .* is reserved for "<id>"$/,
  );
  expect(await answerOf(create(1))).toBe('OK');
  await cri.removeContainer({ containerId });
  expect(await answerOf(create())).toBe('OK');
});

test('stop_signal is obeyed', async () => {
  const fixture = await start('containerd-2.4');
  const { containerId } = await createWith(fixture, { stopSignal: Signal.SIGNAL_SIGINT });
  await fixture.cri.startContainer({ containerId });
  await fixture.cri.stopContainer({ containerId, timeout: 5n });
  expect((await fixture.cri.containerStatus({ containerId })).status?.exitCode).toBe(130);
});

test('oom_score_adj is that of the creation', async () => {
  const fixture = await start('containerd-2.4');
  const resources = { oomScoreAdj: 100n, cpuShares: 100n };
  const { containerId } = await createWith(fixture, { linux: { resources } });
  await fixture.cri.updateContainerResources({ containerId, linux: { oomScoreAdj: 500n, cpuShares: 300n } });
  const { status } = await fixture.cri.containerStatus({ containerId });
  expect(status?.resources?.linux).toMatchObject({ oomScoreAdj: 100n, cpuShares: 300n });
});

test('image_ref of a container whose image was removed is the id of the image', async () => {
  const fixture = await start('containerd-2.4');
  const { containerId } = await createWith(fixture, {});
  const { image } = await fixture.cri.imageStatus({ image: IMAGE });
  await fixture.cri.removeImage({ image: IMAGE });
  expect((await fixture.cri.containerStatus({ containerId })).status?.imageRef).toBe(image?.id);
});
