import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { answerOf, createTrial, IMAGE, type Trial } from '../../../test/support/profiles/trial.js';
import { useTemporaryDirectories } from '../../../test/support/temporary.js';
import { NamespaceMode, Signal } from '../../cri/gen/runtime/v1/api.js';
import { type Mockri, startMockri } from '../../testing/index.js';
import type { RuntimeProfileName } from '../index.js';

/** What containerd 2.1.9 and 1.7.24 were seen to answer, beyond what test/peers/profiles measures. */

const temporaryDirectory = useTemporaryDirectories();

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

test('usage of a sandbox in the network of the host has no network', async () => {
  const { cri, config } = await start('containerd-2.1');
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

test('of two removals of a sandbox with a container at the same time, one fails', async () => {
  const { cri, running } = await start('containerd-2.1');
  const { podSandboxId } = await running();
  const remove = () => answerOf(cri.removePodSandbox({ podSandboxId }));
  expect((await Promise.all([remove(), remove()])).sort()).toEqual([
    'OK',
    'UNKNOWN: failed to remove container "<id>": failed to set removing state for container "<id>": container is already in removing state',
  ]);
  expect(await remove()).toBe('OK');
});

test('1.7: two removals of a sandbox with a container at the same time both succeed', async () => {
  const { cri, running } = await start('containerd-1.7');
  const { podSandboxId } = await running();
  const remove = () => answerOf(cri.removePodSandbox({ podSandboxId }));
  expect(await Promise.all([remove(), remove()])).toEqual(['OK', 'OK']);
});

test('the parts of names are joined', async () => {
  const { cri, config } = await start('containerd-2.1');
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

test('the OCI specs in verbose information have the keys of containerd', async () => {
  const { cri, config } = await start('containerd-2.1');
  const own = { ...config, linux: {} };
  const { podSandboxId } = await cri.runPodSandbox({ config: own });
  const given = { metadata: { name: 'app', attempt: 0 }, image: IMAGE, command: ['sleep', '9'] };
  const { containerId } = await cri.createContainer({ podSandboxId, config: given, sandboxConfig: own });
  const keysOf = (info: string | undefined) => {
    const { process, linux, ...rest } = (JSON.parse(info ?? '') as { runtimeSpec: Record<string, object> })
      .runtimeSpec;
    return [rest, process ?? {}, linux ?? {}].map((part) => Object.keys(part).sort().join(' '));
  };
  const sandbox = await cri.podSandboxStatus({ podSandboxId, verbose: true });
  expect(keysOf(sandbox.info.info)).toEqual([
    'annotations mounts ociVersion root',
    'args capabilities cwd env noNewPrivileges oomScoreAdj user',
    'cgroupsPath maskedPaths namespaces readonlyPaths resources sysctl',
  ]);
  const container = await cri.containerStatus({ containerId, verbose: true });
  expect(keysOf(container.info.info)).toEqual([
    'annotations mounts ociVersion root',
    'args capabilities cwd env user',
    'cgroupsPath namespaces resources',
  ]);
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

/** A container of the trial with these changes, and its id. */
async function createWith({ cri, config, pod }: Trial, changes: object, sandboxConfig: object = config) {
  const podSandboxId = await pod();
  const given = {
    metadata: { name: 'app', attempt: 0 },
    image: IMAGE,
    command: ['sleep', '1000'],
    ...changes,
  };
  const { containerId } = await cri.createContainer({ podSandboxId, config: given, sandboxConfig });
  return { podSandboxId, containerId };
}

test('stop_signal is not known', async () => {
  const trial = await start('containerd-2.1');
  const { containerId } = await createWith(trial, { stopSignal: Signal.SIGNAL_SIGINT });
  await trial.cri.startContainer({ containerId });
  await trial.cri.stopContainer({ containerId, timeout: 5n });
  expect((await trial.cri.containerStatus({ containerId })).status?.exitCode).toBe(143);
});

test('oom_score_adj is that of the creation', async () => {
  const trial = await start('containerd-2.1');
  const resources = { oomScoreAdj: 100n, cpuShares: 100n };
  const { containerId } = await createWith(trial, { linux: { resources } });
  await trial.cri.updateContainerResources({ containerId, linux: { oomScoreAdj: 500n, cpuShares: 300n } });
  const { status } = await trial.cri.containerStatus({ containerId });
  expect(status?.resources?.linux).toMatchObject({ oomScoreAdj: 100n, cpuShares: 300n });
});

test('verbose information has groups, capabilities and namespaces', async () => {
  const trial = await start('containerd-2.1');
  const securityContext = {
    supplementalGroups: [7n],
    noNewPrivs: true,
    capabilities: { addCapabilities: ['NET_ADMIN'], dropCapabilities: ['CHOWN'], addAmbientCapabilities: [] },
    namespaceOptions: { network: 2, pid: 1, ipc: 2 },
  };
  const { containerId } = await createWith(trial, {
    linux: { securityContext, resources: { oomScoreAdj: -5n } },
  });
  const { info } = await trial.cri.containerStatus({ containerId, verbose: true });
  const { config, runtimeSpec } = JSON.parse(info.info ?? '');
  expect(config.linux.security_context.supplemental_groups).toEqual([7]);
  const { process, linux, mounts, root } = runtimeSpec;
  expect(process).toMatchObject({ noNewPrivileges: true, oomScoreAdj: -5 });
  expect(process.capabilities.bounding).toContain('CAP_NET_ADMIN');
  expect(process.capabilities.bounding).not.toContain('CAP_CHOWN');
  expect(process.env.filter((variable: string) => variable.startsWith('HOME='))).toEqual([]);
  expect(root).toEqual({ path: 'rootfs' });
  expect(linux.resources).toMatchObject({ cpu: {}, memory: {} });
  const types = linux.namespaces.map(({ type, path }: { type: string; path?: string }) => [
    type,
    path !== undefined,
  ]);
  expect(types).toContainEqual(['network', true]);
  expect(types).toContainEqual(['uts', true]);
  expect(types).toContainEqual(['pid', false]);
  expect(mounts).toContainEqual(expect.objectContaining({ destination: '/dev/shm', source: '/dev/shm' }));
});

test('namespaces of the host are not in the OCI spec of a sandbox', async () => {
  const { cri, config } = await start('containerd-2.1');
  const namespaceOptions = { pid: 2, ipc: 2 };
  const { podSandboxId } = await cri.runPodSandbox({
    config: { ...config, linux: { securityContext: { namespaceOptions } } },
  });
  const { info } = await cri.podSandboxStatus({ podSandboxId, verbose: true });
  const { linux } = JSON.parse(info.info ?? '').runtimeSpec;
  expect(linux.namespaces.map(({ type }: { type: string }) => type).sort()).toEqual([
    'mount',
    'network',
    'uts',
  ]);
});

test('usage of a sandbox has all its containers', async () => {
  const { cri, config } = await start('containerd-2.1');
  const limited = { ...config, linux: { cgroupParent: '/pods' } };
  const { podSandboxId } = await cri.runPodSandbox({ config: limited });
  const app = { metadata: { name: 'app', attempt: 0 }, image: IMAGE };
  const { containerId } = await cri.createContainer({ podSandboxId, config: app, sandboxConfig: limited });
  const { stats } = await cri.podSandboxStats({ podSandboxId });
  expect(stats?.linux?.containers).toMatchObject([{ attributes: { id: containerId }, cpu: undefined }]);
});

test('a log needs the directory of sandbox_config', async () => {
  const { cri, config } = await start('containerd-2.1');
  const { podSandboxId } = await cri.runPodSandbox({
    config: { ...config, logDirectory: temporaryDirectory() },
  });
  const app = { metadata: { name: 'app', attempt: 0 }, image: IMAGE, logPath: 'app.log' };
  const { containerId } = await cri.createContainer({ podSandboxId, config: app, sandboxConfig: config });
  expect((await cri.containerStatus({ containerId })).status?.logPath).toBe('');
});

describe('log files', () => {
  const FAILED =
    'failed to create containerd task: failed to create container loggers: failed to create and open log file: ';

  test.each([
    ['that are directories', 'd', (path: string) => `open ${path}/d: is a directory`],
    ['below files', 'f/app.log', (path: string) => `mkdir ${path}/f: not a directory`],
  ])('%s: the container does not start', async (_, logPath, reason) => {
    const directory = temporaryDirectory();
    mkdirSync(join(directory, 'd'));
    writeFileSync(join(directory, 'f'), '');
    const trial = await start('containerd-2.1');
    const { containerId } = await createWith(
      trial,
      { logPath },
      { ...trial.config, logDirectory: directory },
    );
    expect(await answerOf(trial.cri.startContainer({ containerId }))).toBe(
      `UNKNOWN: ${FAILED}${reason(directory)}`,
    );
    expect((await trial.cri.containerStatus({ containerId })).status).toMatchObject({
      exitCode: 128,
      reason: 'StartError',
    });
  });

  test('ReopenContainerLog makes their directory', async () => {
    const logDirectory = join(temporaryDirectory(), 'pod');
    const trial = await start('containerd-2.1');
    const { containerId } = await createWith(
      trial,
      { logPath: 'app.log' },
      { ...trial.config, logDirectory },
    );
    await trial.cri.startContainer({ containerId });
    rmSync(logDirectory, { recursive: true });
    expect(await answerOf(trial.cri.reopenContainerLog({ containerId }))).toBe('OK');
    expect(existsSync(join(logDirectory, 'app.log'))).toBe(true);
  });
});

test('image_ref of a container whose image was removed is the id of the image', async () => {
  const trial = await start('containerd-2.1');
  const { containerId } = await createWith(trial, {});
  const { image } = await trial.cri.imageStatus({ image: IMAGE });
  await trial.cri.removeImage({ image: IMAGE });
  expect((await trial.cri.containerStatus({ containerId })).status?.imageRef).toBe(image?.id);
});
