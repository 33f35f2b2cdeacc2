import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createNriRig } from '../../../test/support/nri/rig.js';
import { openDevices } from '../cdi/devices.js';
import { crio136 } from '../profiles/cri-o/cri-o-1.36.js';
import { containerdRules } from './containerd-rules.js';
import { Container, CreateContainerResponse } from './gen/nri/v1alpha1/api.js';
import { editContainer } from './objects/cdi-edits.js';
import type { NriRules } from './rules.js';

const device = (name: string, containerEdits: object) => ({ name, containerEdits });
const spec = (directory: string) => ({
  cdiVersion: '0.8.0',
  kind: 'vendor.com/gpu',
  containerEdits: { env: ['GPU=yes'], additionalGids: [44] },
  devices: [
    device('0', {
      env: ['CARD=0', 'HOME=/opt/gpu'],
      deviceNodes: [{ path: '/dev/gpu/card0', type: 'c', major: 226, minor: 1, permissions: 'rw' }],
      mounts: [{ hostPath: directory, containerPath: '/opt/gpu', options: ['ro', 'rbind'] }],
      hooks: [{ hookName: 'createContainer', path: '/bin/hook', timeout: 3 }],
    }),
    device('1', { env: ['CARD=1'] }),
  ],
});

async function rig(rules?: Partial<NriRules>) {
  const directory = mkdtempSync(join(tmpdir(), 'mockri-cdi-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  writeFileSync(join(directory, 'gpu.json'), JSON.stringify(spec(directory)));
  const cdi = openDevices([directory], () => {});
  const made = await createNriRig({ cdi, rules });
  const inside = async (containerId: string, command: string) => {
    await made.cri.startContainer({ containerId });
    const { stdout } = await made.cri.execSync({ containerId, cmd: ['sh', '-c', command] });
    return stdout.toString();
  };
  const specOf = async (containerId: string) =>
    JSON.parse((await made.cri.containerStatus({ containerId, verbose: true })).info.info ?? '').runtimeSpec;
  return { ...made, inside, specOf };
}

test('a device that a client names is in the container: variables, mounts, device nodes, hooks, groups', async () => {
  const { create, inside, specOf } = await rig();
  const containerId = await create('c', { CDIDevices: [{ name: 'vendor.com/gpu=0' }] });
  expect(await specOf(containerId)).toMatchObject({
    process: { env: expect.arrayContaining(['GPU=yes', 'CARD=0', 'HOME=/opt/gpu']) },
    hooks: { createContainer: [{ path: '/bin/hook', timeout: 3 }] },
    linux: {
      devices: [{ path: '/dev/gpu/card0', type: 'c', major: 226, minor: 1 }],
      resources: {
        devices: expect.arrayContaining([{ allow: true, type: 'c', major: 226, minor: 1, access: 'rw' }]),
      },
    },
  });
  const command = '[ -c /dev/gpu/card0 ] && echo $GPU $CARD $(ls $HOME)';
  expect(await inside(containerId, command)).toBe('yes 0 gpu.json\n');
});

test('a device that a plugin adds is there too, and its variables win', async () => {
  const { create, inside, plugin, specOf } = await rig();
  const seen: string[] = [];
  await plugin('10', 'dra', {
    createContainer: ({ container }) => {
      seen.push(...(container?.env ?? []).filter((each) => each.startsWith('CARD')));
      return CreateContainerResponse.fromPartial({ adjust: { CDIDevices: [{ name: 'vendor.com/gpu=1' }] } });
    },
  });
  const containerId = await create('c', { annotations: { 'cdi.k8s.io/x': 'vendor.com/gpu=0' } });
  expect(seen).toEqual(['CARD=0']);
  expect((await specOf(containerId)).process.env).toContain('CARD=1');
  expect(await inside(containerId, 'echo $CARD')).toBe('1\n');
});

test('a network device of any name is there', () => {
  const netDevices = [{ hostInterfaceName: '__proto__', name: 'eth1' }];
  const { linux } = editContainer(Container.fromPartial({}), { netDevices });
  expect(Object.entries(linux?.netDevices ?? {})).toEqual([['__proto__', { name: 'eth1' }]]);
});

const MISSING = 'CDI device injection failed: unresolvable CDI devices vendor.com/gpu=7, vendor.com/gpu=8';

test.each([
  ['containerd', containerdRules, `failed to create containerd container: ${MISSING}`],
  ['cri-o', crio136.nri, MISSING],
])(
  '%s fails with its own text for what it does not find, and leaves no container',
  async (_, rules, text) => {
    const { cri, create } = await rig(rules);
    const CDIDevices = ['7', '8'].map((id) => ({ name: `vendor.com/gpu=${id}` }));
    await expect(create('c', { CDIDevices })).rejects.toThrow(new RegExp(`^${text}$`));
    expect((await cri.listContainers({})).containers).toEqual([]);
  },
);

test('a device of a plugin that is not there fails the request, and plugins learn that the container is gone', async () => {
  const { create, plugin } = await rig();
  const { requests } = await plugin('10', 'dra', {
    createContainer: () =>
      CreateContainerResponse.fromPartial({ adjust: { CDIDevices: [{ name: 'vendor.com/gpu=9' }] } }),
  });
  await expect(create('c')).rejects.toThrow(
    'failed to create containerd container: failed to NRI-adjust container Spec: CDI device injection failed: unresolvable CDI devices vendor.com/gpu=9',
  );
  expect(requests.slice(-2)).toEqual(['StopContainer c', 'RemoveContainer c']);
});

test('a device node that a plugin adds is in the container', async () => {
  const { create, inside, plugin } = await rig();
  const devices = [{ path: '/dev/fpga', type: 'c', major: 9n, minor: 1n }];
  await plugin('10', 'injector', {
    createContainer: () => CreateContainerResponse.fromPartial({ adjust: { linux: { devices } } }),
  });
  expect(await inside(await create('c'), '[ -c /dev/fpga ] && echo there')).toBe('there\n');
});
