import { expect, test } from 'vitest';
import { connectPlugin, type PluginHandlers } from '../../../test/support/nri/plugin.js';
import { createNriRig } from '../../../test/support/nri/rig.js';
import { runtimeProfiles } from '../profiles/index.js';
import { statusError } from '../ttrpc/error.js';
import {
  type Container,
  CreateContainerResponse,
  type PodSandbox,
  RuntimeDefinition,
  SynchronizeResponse,
  UpdateContainerResponse,
} from './gen/nri/v1alpha1/api.js';
import type { HostOptions } from './options.js';

async function rig(options: Partial<HostOptions> = {}) {
  const made = await createNriRig(options);
  const details = async (containerId: string) =>
    JSON.parse((await made.cri.containerStatus({ containerId, verbose: true })).info.info ?? '');
  return { ...made, details };
}

const adjusting = (adjust: object): PluginHandlers => ({
  createContainer: () => CreateContainerResponse.fromPartial({ adjust }),
});

test.for([
  ['containerd-2.4', 'v0.12.3'],
  ['containerd-2.3', 'v0.12.0'],
  ['cri-o-1.36', ''],
] as const)('Configure names the version of NRI that %s does', async ([profile, version]) => {
  const { plugin } = await createNriRig({ rules: runtimeProfiles[profile]?.nri });
  let named: string | undefined;
  await plugin('10', 'watcher', {
    configure: ({ NRIVersion }) => {
      named = NRIVersion;
      return { events: 0, failurePolicy: undefined };
    },
  });
  expect(named).toBe(version);
});

test('a plugin sees the whole life of a pod, in order', async () => {
  const { cri, create, plugin } = await rig();
  const { requests } = await plugin('10', 'logger');
  expect(requests).toEqual(['Configure', 'Synchronize']);
  requests.length = 0;
  const config = { metadata: { name: 'db', uid: 'v', namespace: 'default', attempt: 0 } };
  const { podSandboxId } = await cri.runPodSandbox({ config });
  const containerId = await create('c');
  await cri.startContainer({ containerId });
  await cri.updateContainerResources({ containerId, linux: { cpuShares: 512n } });
  await cri.updatePodSandboxResources({ podSandboxId, resources: { cpuShares: 512n } });
  await cri.stopContainer({ containerId, timeout: 0n });
  await cri.removeContainer({ containerId });
  await cri.stopPodSandbox({ podSandboxId });
  await cri.removePodSandbox({ podSandboxId });
  expect(requests).toEqual([
    'RunPodSandbox db',
    'CreateContainer c',
    'ValidateContainerAdjustment c',
    'PostCreateContainer c',
    'StartContainer c',
    'PostStartContainer c',
    'UpdateContainer c',
    'PostUpdateContainer c',
    'UpdatePodSandbox db',
    'PostUpdatePodSandbox db',
    'StopContainer c',
    'RemoveContainer c',
    'StopPodSandbox db',
    'RemovePodSandbox db',
  ]);
});

test('plugins are asked in the order of their index, and each sees what the ones before have changed', async () => {
  const { create, plugin } = await rig();
  const seen: string[] = [];
  const asks = (name: string): PluginHandlers => ({
    createContainer: ({ container }) => {
      seen.push(`${name}: ${container?.env.filter((each) => each.startsWith('BY')).join()}`);
      return CreateContainerResponse.fromPartial({ adjust: { env: [{ key: `BY_${name}`, value: 'yes' }] } });
    },
  });
  await plugin('20', 'late', asks('late'));
  await plugin('05', 'early', asks('early'));
  await create('c');
  expect(seen).toEqual(['early: ', 'late: BY_early=yes']);
});

test('what a plugin adjusts takes effect in the container, and is in its OCI spec with its owner', async () => {
  const { cri, create, plugin, details } = await rig();
  await plugin(
    '10',
    'injector',
    adjusting({
      env: [{ key: 'ADDED', value: 'by plugin' }],
      annotations: { note: 'x' },
      hooks: { prestart: [{ path: '/bin/hook' }] },
      rlimits: [{ type: 'RLIMIT_NOFILE', hard: 9n, soft: 8n }],
      linux: {
        devices: [{ path: '/dev/null2', type: 'c', major: 1n, minor: 3n }],
        resources: { memory: { limit: { value: 64_000_000n } }, cpu: { shares: { value: 99n } } },
        oomScoreAdj: { value: 500n },
      },
    }),
  );
  const containerId = await create('c', { linux: { resources: { memoryLimitInBytes: 32_000_000n } } });
  await cri.startContainer({ containerId });
  const { stdout } = await cri.execSync({ containerId, cmd: ['sh', '-c', 'echo $ADDED'] });
  expect(stdout.toString()).toBe('by plugin\n');
  const { status } = await cri.containerStatus({ containerId });
  expect(status?.resources?.linux).toMatchObject({
    memoryLimitInBytes: 64_000_000n,
    cpuShares: 99n,
    oomScoreAdj: 500n,
  });
  const { runtimeSpec, nriOwners } = await details(containerId);
  expect(runtimeSpec).toMatchObject({
    process: {
      env: expect.arrayContaining(['ADDED=by plugin']),
      rlimits: [{ type: 'RLIMIT_NOFILE', hard: 9, soft: 8 }],
      oomScoreAdj: 500,
    },
    annotations: { note: 'x', 'io.kubernetes.cri.container-name': 'c' },
    hooks: { prestart: [{ path: '/bin/hook' }] },
    linux: {
      devices: [{ path: '/dev/null2', type: 'c', major: 1, minor: 3 }],
      resources: { memory: { limit: 64_000_000, swap: 64_000_000 }, cpu: { shares: 99 } },
    },
  });
  expect(nriOwners).toMatchObject({
    Env: { ADDED: '10-injector' },
    MemLimit: '10-injector',
    OciHooks: '10-injector',
  });
});

test('arguments are replaced', async () => {
  const { cri, create, plugin } = await rig();
  await plugin('10', 'args', adjusting({ args: ['sh', '-c', 'exit 7'] }));
  const containerId = await create('c');
  await cri.startContainer({ containerId });
  await expect.poll(async () => (await cri.containerStatus({ containerId })).status?.exitCode).toBe(7);
});

test('two plugins that set the same fail the request, and leave no container', async () => {
  const { cri, create, plugin } = await rig();
  const first = await plugin('10', 'a', adjusting({ env: [{ key: 'X', value: '1' }] }));
  await plugin('20', 'b', adjusting({ env: [{ key: 'X', value: '2' }] }));
  await expect(create('c')).rejects.toThrow('plugins "20-b" and "10-a" both tried to set Env X');
  expect((await cri.listContainers({})).containers).toEqual([]);
  expect(first.requests.slice(-2)).toEqual(['StopContainer c', 'RemoveContainer c']);
});

test('a plugin that removes what another one has set may set it', async () => {
  const { create, plugin, details } = await rig();
  await plugin('10', 'a', adjusting({ env: [{ key: 'X', value: '1' }] }));
  await plugin('20', 'b', adjusting({ env: [{ key: '-X' }, { key: 'X', value: '2' }] }));
  const { runtimeSpec } = await details(await create('c'));
  expect(runtimeSpec.process.env).toContain('X=2');
});

test('a plugin that says no fails the request; one that validates does too', async () => {
  const { create, plugin } = await rig();
  const strict = await plugin('10', 'strict', {
    createContainer: () => {
      throw statusError(9, 'not today');
    },
  });
  await expect(create('c')).rejects.toMatchObject({
    code: 9,
    message:
      'failed to create containerd container: failed to get NRI adjustment for container: rpc error: code = FailedPrecondition desc = not today',
  });
  strict.close();
  await plugin('20', 'validator', {
    validateContainerAdjustment: () => ({ reject: true, reason: 'no hooks' }),
  });
  await expect(create('d')).rejects.toThrow(
    'validator "20-validator" rejected container adjustment, reason: no hooks',
  );
});

test('the built-in validator refuses hooks, and what a pod requires and is not there', async () => {
  const { create, plugin } = await rig({
    validator: { rejectOCIHookAdjustment: true, requiredPlugins: ['hooks'] },
  });
  await expect(create('c')).rejects.toThrow('required plugin "hooks" not present');
  await plugin('10', 'hooks', adjusting({ hooks: { poststop: [{ path: '/x' }] } }));
  await expect(create('d')).rejects.toThrow('plugin "10-hooks" attempted restricted OCI hook injection');
});

test('a plugin that hangs is dropped, and the request continues without it', async () => {
  const { create, plugin, host } = await rig({ requestTimeout: 50 });
  const hanging = await plugin('10', 'hangs', { createContainer: () => new Promise(() => {}) });
  const other = await plugin('20', 'works');
  expect(hanging.isIn).toBe(true);
  await create('c');
  expect(host.plugins.map(({ name }) => name)).toEqual(['20-works']);
  expect(other.requests).toContain('CreateContainer c');
});

test('a plugin that wants its failures to fail the request, and to stay, gets both', async () => {
  const { create, plugin, host } = await rig({ requestTimeout: 50 });
  await plugin('10', 'hangs', {
    configure: () => ({ events: 0, failurePolicy: { failRequest: true, keepConnected: true } }),
    createContainer: () => new Promise(() => {}),
  });
  await expect(create('c')).rejects.toThrow('plugin 10-hangs failed to handle CreateContainer request');
  expect(host.plugins).toHaveLength(1);
});

test('a plugin that comes late is shown what is there, and can update it', async () => {
  const { cri, create, plugin } = await rig();
  const containerId = await create('c');
  await cri.startContainer({ containerId });
  const shown: string[] = [];
  await plugin('10', 'late', {
    synchronize: ({ pods, containers }) => {
      shown.push(...pods.map(({ name }) => name), ...containers.map(({ name, state }) => `${name} ${state}`));
      return SynchronizeResponse.fromPartial({
        update: [{ containerId, linux: { resources: { cpu: { shares: { value: 77n } } } } }],
      });
    },
  });
  expect(shown).toEqual(['web', 'c 3']);
  expect((await cri.containerStatus({ containerId })).status?.resources?.linux?.cpuShares).toBe(77n);
});

test('updates that nobody asked for, and changes of the updates of clients', async () => {
  const { cri, create, plugin } = await rig();
  const containerId = await create('c');
  const update = (shares: bigint) => ({
    containerId,
    linux: { resources: { cpu: { shares: { value: shares } } } },
  });
  const { runtime } = await plugin('10', 'updater', {
    updateContainer: () => UpdateContainerResponse.fromPartial({ update: [update(5n)] }),
  });
  const sharesNow = async () =>
    (await cri.containerStatus({ containerId })).status?.resources?.linux?.cpuShares;
  const request = UpdateContainerResponse.fromPartial({ update: [update(33n)] });
  expect(await runtime.call(RuntimeDefinition, 'updateContainers', request)).toEqual({ failed: [] });
  expect(await sharesNow()).toBe(33n);
  await cri.updateContainerResources({ containerId, linux: { cpuShares: 400n } });
  expect(await sharesNow()).toBe(5n);
});

test('a state that is larger than a message is shown in several', async () => {
  const { create, plugin } = await rig();
  for (let count = 0; count < 12; count += 1)
    await create(`c${count}`, { annotations: { big: 'x'.repeat(900_000) } });
  const parts: number[] = [];
  const { isIn } = await plugin('10', 'reader', {
    synchronize: ({ containers, more }) => {
      parts.push(containers.length);
      return { update: [], more };
    },
  });
  expect(isIn).toBe(true);
  expect(parts.length).toBeGreaterThan(1);
  expect(parts.reduce((sum, part) => sum + part, 0)).toBe(12);
});

test('an old plugin gets StateChange', async () => {
  const { create, plugin } = await rig();
  const missing = () => {
    throw statusError(12, 'method');
  };
  const { requests } = await plugin('10', 'old', { postCreateContainer: missing });
  await create('c');
  await create('d');
  expect(requests.filter((each) => /StateChange|Post/.test(each))).toEqual([
    'PostCreateContainer c',
    'StateChange c',
    'StateChange d',
  ]);
});

test.each([
  ['no index', { pluginIdx: '1', pluginName: 'x' }],
  ['no name', { pluginIdx: '10', pluginName: 'a/b' }],
])('a plugin with %s is refused', async (_, name) => {
  const { clock, host } = await rig();
  expect((await connectPlugin(host, clock, name)).isIn).toBe(false);
  expect(host.plugins).toEqual([]);
});

test('a container that ends by itself is reported once', async () => {
  const { cri, create, plugin } = await rig();
  const { requests } = await plugin('10', 'logger');
  const containerId = await create('c', { command: ['true'] });
  await cri.startContainer({ containerId });
  await expect.poll(() => requests.at(-1)).toBe('StopContainer c');
  await cri.stopContainer({ containerId, timeout: 0n });
  await cri.removeContainer({ containerId });
  expect(requests.filter((each) => each.startsWith('Stop'))).toEqual(['StopContainer c']);
});

test('a plugin that leaves comes back under its name', async () => {
  const { plugin, host } = await rig();
  const first = await plugin('10', 'a');
  first.close();
  await expect.poll(() => host.plugins.length).toBe(0);
  expect((await plugin('10', 'a')).isIn).toBe(true);
});

test('plugins see the end of a pod and of its containers as containerd shows them', async () => {
  const { cri, create, plugin, podSandboxId } = await rig();
  const seen: string[] = [];
  const look = (what: string): PluginHandlers[keyof PluginHandlers] =>
    ((request: { pod?: PodSandbox; container?: Container }) => {
      const { pod, container } = request;
      const network = pod?.linux?.namespaces.some(({ type }) => type === 'network');
      const about = container && ` container ${container.state} ${Object.keys(container.labels).length}`;
      seen.push(`${what}: ${network ? 'network' : 'no network'}${about ?? ''}`);
      return {};
    }) as never;
  await plugin('10', 'watcher', {
    stopPodSandbox: look('StopPodSandbox') as never,
    removeContainer: look('RemoveContainer') as never,
    removePodSandbox: look('RemovePodSandbox') as never,
  });
  const containerId = await create('c');
  await cri.startContainer({ containerId });
  await cri.stopContainer({ containerId, timeout: 0n });
  await cri.removeContainer({ containerId });
  const strict = await plugin('20', 'strict', {
    createContainer: () => {
      throw statusError(9, 'no');
    },
  });
  await expect(create('d', { labels: { app: 'web' } })).rejects.toThrow('no');
  strict.close();
  await cri.stopPodSandbox({ podSandboxId });
  await cri.removePodSandbox({ podSandboxId });
  expect(seen).toEqual([
    // One that has ended has no state, and one that could not be made has no labels.
    'RemoveContainer: network container 0 1',
    'RemoveContainer: network container 0 0',
    'StopPodSandbox: network',
    'RemovePodSandbox: no network',
  ]);
});

test('annotations of the client are not in the spec, and plugins see them again after they have set others', async () => {
  const { create, plugin, details } = await rig();
  const seen: (string | undefined)[] = [];
  await plugin('10', 'noter', {
    ...adjusting({ annotations: { note: 'plugin' } }),
    postCreateContainer: ({ container }) => {
      seen.push(container?.annotations.note);
      return {};
    },
  });
  const first = await details(await create('c', { annotations: { note: 'client', other: 'client' } }));
  expect(seen).toEqual(['client']);
  expect(first.runtimeSpec.annotations.note).toBe('plugin');
  expect(first.runtimeSpec.annotations.other).toBeUndefined();
});
