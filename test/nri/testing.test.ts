import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createRealClock } from '../../src/base/clock/real-clock.js';
import { CreateContainerResponse } from '../../src/runtime/nri/gen/nri/v1alpha1/api.js';
import { judgeTape } from '../../src/tape/judge/tape-judge.js';
import { openTape } from '../../src/tape/read.js';
import { showEntry } from '../../src/tape/show.js';
import { type MockriOptions, startMockri } from '../../src/testing/index.js';
import { connectPluginTo, type PluginHandlers } from '../support/nri/plugin.js';
import { useTemporaryDirectories } from '../support/temporary.js';

const directory = useTemporaryDirectories();
const image = { image: 'busybox:1' };
const sandboxConfig = { metadata: { name: 'web', uid: 'u', namespace: 'default', attempt: 0 } };

async function rig(options: MockriOptions = {}) {
  const record = join(directory(), 'run.tape');
  const mockri = await startMockri({ nri: true, record, control: true, ...options });
  onTestFinished(() => mockri.close());
  const { nri, client: cri } = mockri;
  if (nri === undefined) throw new Error('there are no plugins');
  const plugin = async (name: string, handlers?: PluginHandlers, limit?: number) => {
    const made = await connectPluginTo(
      nri.socket,
      createRealClock(),
      { pluginIdx: name.slice(0, 2), pluginName: name.slice(3) },
      handlers,
    );
    await nri.waitFor(name, limit);
    return made;
  };
  await cri.pullImage({ image, auth: undefined, sandboxConfig });
  const { podSandboxId } = await cri.runPodSandbox({ config: sandboxConfig, runtimeHandler: '' });
  const create = async (name: string) => {
    const config = { metadata: { name, attempt: 0 }, image, command: ['sleep', '1000'] };
    return (await cri.createContainer({ podSandboxId, config, sandboxConfig })).containerId;
  };
  return { mockri, nri, plugin, create, cri, record };
}

const adjusting: PluginHandlers = {
  createContainer: () =>
    CreateContainerResponse.fromPartial({ adjust: { env: [{ key: 'GPU', value: '0' }] } }),
};

test('a test waits for a plugin and checks its changes; tape and control API show them too', async () => {
  const { mockri, nri, plugin, create, cri, record } = await rig();
  await plugin('10-gpu', adjusting);
  expect(nri.connected).toMatchObject([{ index: '10', name: 'gpu' }]);
  const containerId = await create('app');
  await cri.startContainer({ containerId });
  const adjusted = nri.adjusted('app');
  expect(adjusted).toMatchObject({ id: containerId, owners: { Env: { GPU: '10-gpu' } } });
  const state = await (await fetch(`${mockri.control}/v1/plugins?plugin=10-gpu&wait=1s`)).json();
  expect(state).toMatchObject({ plugins: [{ name: 'gpu' }], adjusted: [{ name: 'app' }] });
  await cri.stopContainer({ containerId, timeout: 0n });
  await cri.removeContainer({ containerId });
  await mockri.close();
  const lines: string[] = [];
  for await (const { line, entry } of (await openTape(record)).entries)
    if (entry.kind === 'plugin' || entry.kind === 'nri')
      lines.push(
        showEntry({ kind: 'other', line, entry } as never)
          .replace(/^.*?(plugin|nri)/, '$1')
          .replace(/ [\d.]+m?s/, ''),
      );
  expect(lines.slice(0, 8)).toEqual([
    'nri Configure 10-gpu',
    'nri Synchronize 10-gpu; shows 0 containers',
    'plugin 10-gpu synchronized',
    'nri CreateContainer 10-gpu; adjusts env',
    'nri ValidateContainerAdjustment 10-gpu',
    'nri PostCreateContainer 10-gpu',
    'nri StartContainer 10-gpu',
    'nri PostStartContainer 10-gpu',
  ]);
  expect((await judgeTape(await openTape(record))).findings).toEqual([]);
});

test('pods in given states exist before the plugin connects; it gets those that have not ended', async () => {
  const { mockri, plugin } = await rig();
  await mockri.addPod({
    name: 'db',
    annotations: { of: 'pod' },
    containers: [
      { name: 'made', state: 'created' },
      { name: 'runs', env: { A: 'b' }, resources: { cpuShares: 300 } },
      { name: 'ended', state: 'exited', exitCode: 3 },
    ],
  });
  expect(['made', 'runs', 'ended'].map((name) => mockri.container(name).state)).toEqual([
    'CREATED',
    'RUNNING',
    'EXITED',
  ]);
  const shown: string[] = [];
  await plugin('10-late', {
    synchronize: ({ pods, containers }) => {
      shown.push(...pods.map(({ name, annotations }) => `${name} ${annotations.of}`));
      shown.push(...containers.map(({ name, linux }) => `${name} ${linux?.resources?.cpu?.shares?.value}`));
      return { update: [], more: false };
    },
  });
  expect(shown).toEqual(['web undefined', 'db pod', 'made undefined', 'runs 300']);
  await expect(
    mockri.addPod({ name: 'x', containers: [{ name: 'a', state: 'runing' as never }] }),
  ).rejects.toThrow(/addPod: containers\[0\]\.state: .*did you mean "running"/);
});

test('a missing plugin is an error that lists the connected ones', async () => {
  const { nri, plugin } = await rig();
  await plugin('10-a');
  await expect(nri.waitFor('20-b', 10)).rejects.toThrow(
    'no plugin 20-b within 10; connected: 10-a. Does it connect to',
  );
});

test('a runtime that restarts after Synchronize: plugins reconnect and get the running containers', async () => {
  const { mockri, nri, plugin, create } = await rig();
  await create('app');
  const restart = {
    match: { method: 'nri:Synchronize' },
    on: 'reply',
    when: { times: 1 },
    then: { restart: {} },
  } as const;
  mockri.addFault(restart);
  await expect(plugin('10-a', {}, 1)).rejects.toThrow();
  const shown: string[] = [];
  await expect
    .poll(() =>
      plugin(
        '10-a',
        {
          synchronize: ({ containers }) => {
            shown.push(...containers.map(({ name }) => name));
            return { update: [], more: false };
          },
        },
        500,
      ).then(
        () => 'in',
        () => 'out',
      ),
    )
    .toBe('in');
  expect(shown.at(-1)).toBe('app');
  expect(nri.connected).toHaveLength(1);
});

test.each(['containerd-2.4', 'strict'] as const)(
  '%s shows the spec of a container with what plugins have changed',
  async (profile) => {
    const { plugin, create, cri } = await rig({ profile });
    const linux = { devices: [{ path: '/dev/fpga', type: 'c', major: 9n, minor: 1n }] };
    const adjust = { annotations: { note: 'x' }, linux };
    await plugin('10-gpu', { createContainer: () => CreateContainerResponse.fromPartial({ adjust }) });
    const containerId = await create('app');
    const { info } = await cri.containerStatus({ containerId, verbose: true });
    expect(JSON.parse(info.info ?? '')).toMatchObject({
      runtimeSpec: { annotations: { note: 'x' }, linux: { devices: [{ path: '/dev/fpga' }] } },
      nriOwners: { Devices: { '/dev/fpga': '10-gpu' } },
    });
  },
);
