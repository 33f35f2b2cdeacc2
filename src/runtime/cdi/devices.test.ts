import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeTemporaryDirectory } from '../../base/input/temporary-directory.js';
import { openDevices, requestedDevices } from './devices.js';
import { fullNode } from './host-device.js';
import { parseSpec } from './spec.js';

function directories(...contents: Readonly<Record<string, object | string>>[]): string[] {
  const root = makeTemporaryDirectory('mockri-cdi-');
  onTestFinished(() => rmSync(root, { recursive: true }));
  return contents.map((files, index) => {
    const directory = join(root, String(index));
    mkdirSync(directory);
    for (const [name, content] of Object.entries(files))
      writeFileSync(join(directory, name), typeof content === 'string' ? content : JSON.stringify(content));
    return directory;
  });
}

const spec = (value: string, more: object = {}) => ({
  cdiVersion: '0.8.0',
  kind: 'vendor.com/gpu',
  containerEdits: { env: ['ALL=yes'] },
  devices: [
    { name: 'a', containerEdits: { env: [`A=${value}`] } },
    { name: 'b', containerEdits: { env: [`B=${value}`] } },
  ],
  ...more,
});

const YAML = `
cdiVersion: 1.1.0
kind: vendor.com/net
devices:
- name: "0"
  containerEdits:
    netDevices: [{hostInterfaceName: eth9, name: eth1}]
`;

test('devices of JSON and YAML are resolved; what a file gives to all comes first, and once', () => {
  const devices = openDevices(directories({ 'gpu.json': spec('1'), 'net.yaml': YAML }), () => {});
  const { env, netDevices } = devices.resolve(['vendor.com/gpu=b', 'vendor.com/gpu=a', 'vendor.com/net=0']);
  expect(env).toEqual(['ALL=yes', 'B=1', 'A=1']);
  expect(netDevices).toEqual([{ hostInterfaceName: 'eth9', name: 'eth1' }]);
});

test.each([
  ['a name that no file can have', '/dev/\0'],
  ['a name that is too long', `/dev/${'x'.repeat(5000)}`],
])('a node that no machine has is one that this one lacks: %s', (_, path) => {
  expect(fullNode({ path })).toEqual({ path, type: 'c', major: 0, minor: 0 });
});

test('all that is missing is named, as containerd names it', () => {
  const devices = openDevices(
    [...directories({ 'gpu.json': spec('1') }), '/no/such/directory'],
    (message) => {
      throw new Error(message);
    },
  );
  expect(() => devices.resolve(['vendor.com/gpu=x', 'vendor.com/gpu=a', 'y.com/z=1'])).toThrow(
    'unresolvable CDI devices vendor.com/gpu=x, y.com/z=1',
  );
});

test('the last directory comes first; a device that two files of one have is nobody’s', () => {
  const told: string[] = [];
  const dirs = directories({ 'a.json': spec('low') }, { 'b.json': spec('high') }, {});
  const devices = openDevices(dirs, (message) => told.push(message));
  expect(devices.resolve(['vendor.com/gpu=a']).env).toEqual(['ALL=yes', 'A=high']);
  const [, high = ''] = dirs;
  writeFileSync(join(high, 'c.json'), JSON.stringify(spec('other')));
  expect(() => devices.resolve(['vendor.com/gpu=a'])).toThrow('unresolvable');
  expect(told[0]).toBe(`conflicting device "vendor.com/gpu=a" (specs "${high}/b.json", "${high}/c.json")`);
});

test('files that a driver writes, changes and removes later count', () => {
  const [directory = ''] = directories({});
  const devices = openDevices([directory], () => {});
  const file = join(directory, 'gpu.json');
  expect(() => devices.resolve(['vendor.com/gpu=a'])).toThrow('unresolvable');
  writeFileSync(file, JSON.stringify(spec('1')));
  expect(devices.resolve(['vendor.com/gpu=a']).env).toContain('A=1');
  writeFileSync(file, JSON.stringify(spec('second')));
  expect(devices.resolve(['vendor.com/gpu=a']).env).toContain('A=second');
  rmSync(file);
  expect(() => devices.resolve(['vendor.com/gpu=a'])).toThrow('unresolvable');
});

test('a bad file is reported once with its field, and does not disturb the others', () => {
  const told: string[] = [];
  const [directory = ''] = directories({
    'bad.yaml': 'cdiVersion: 0.8.0\nkind: gpu\ndevices: []\n',
    'gpu.json': spec('1'),
    'note.txt': 'no spec',
  });
  const devices = openDevices([directory], (message) => told.push(message));
  devices.resolve(['vendor.com/gpu=a']);
  expect(told).toHaveLength(1);
  expect(told[0]).toContain(`${directory}/bad.yaml:2:1: kind: expected a vendor and a class`);
  expect(told[0]).toContain(`${directory}/bad.yaml:3:1: devices: expected at least one device`);
});

test.each([
  [{ cdiVersion: '0.9.0' }, 'cdiVersion: expected'],
  [{ devices: [{ name: '-', containerEdits: { env: ['A=1'] } }] }, 'devices[0].name: expected letters'],
  [{ devices: [{ name: 'a', containerEdits: {} }] }, 'devices[0].containerEdits: expected at least one edit'],
  [{ containerEdits: { env: ['NOVALUE'] } }, 'containerEdits.env[0]: expected NAME=VALUE'],
  [{ containerEdits: { hooks: [{ hookName: 'x', path: '/h' }] } }, 'containerEdits.hooks[0].hookName'],
  [{ containerEdits: { mounts: [{ hostPath: '/a' }] } }, 'containerEdits.mounts[0].containerPath'],
  [{ containerEdits: { deviceNodes: [{ path: '/d', typ: 'c' }] } }, 'unknown key; did you mean "type"?'],
  [
    {
      devices: [
        { name: 'a', containerEdits: { env: ['A=1'] } },
        { name: 'a', containerEdits: { env: ['A=1'] } },
      ],
    },
    'another device of this file is called "a" too',
  ],
  [
    { cdiVersion: '0.3.0', containerEdits: { deviceNodes: [{ path: '/d', hostPath: '/e' }] } },
    'cdiVersion: expected 0.5.0 or newer, as containerEdits.deviceNodes[0].hostPath needs it; given "0.3.0"',
  ],
  [{ containerEdits: { intelRdt: { enableMonitoring: true } } }, 'expected 1.1.0 or newer'],
  [{ cdiVersion: '0.6.0', containerEdits: { additionalGids: [5] } }, 'expected 0.7.0 or newer'],
])('%j is refused', (change, text) => {
  expect(() => parseSpec(JSON.stringify(spec('1', change)), 'f.json')).toThrow(text);
});

test('names come from the list and from annotations, each once', () => {
  const CDIDevices = [{ name: 'v.com/c=1' }, { name: 'v.com/c=1' }];
  const annotations = { 'cdi.k8s.io/x': 'v.com/c=2,v.com/c=1', other: 'v.com/c=3' };
  expect(requestedDevices({ annotations, CDIDevices })).toEqual(['v.com/c=1', 'v.com/c=2']);
  expect(() => requestedDevices({ annotations: { 'cdi.k8s.io/x': 'gpu' }, CDIDevices })).toThrow(
    'failed to parse CDI device annotations: invalid CDI device name "gpu"',
  );
});

test('the host fills in what a file leaves out; what it lacks is a device without numbers', () => {
  expect(fullNode({ path: '/dev/null' })).toMatchObject({ type: 'c', major: 1, minor: 3, fileMode: 0o666 });
  expect(fullNode({ path: '/x', hostPath: '/dev/null', type: 'c', major: 7 })).toMatchObject({ major: 7 });
  expect(fullNode({ path: '/no/device' })).toEqual({ path: '/no/device', type: 'c', major: 0, minor: 0 });
});
