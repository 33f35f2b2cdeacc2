import { expect, it } from 'vitest';
import { CriError } from '../../../src/cri/errors.js';
import {
  CreateContainerResponse,
  RuntimeDefinition,
  SynchronizeResponse,
} from '../../../src/runtime/nri/gen/nri/v1alpha1/api.js';
import type { PluginHandlers } from '../../support/nri/plugin.js';
import { createNriRig } from '../../support/nri/rig.js';
import { replaceText } from '../texts.js';

// A plugin that answers with what no plugin would.

async function rig() {
  const { cri, create, plugin, host } = await createNriRig();
  return {
    cri,
    create: (name: string, annotations: Record<string, string> = {}) =>
      create(name, { annotations, linux: {} }),
    plugin: (handlers?: PluginHandlers) => plugin('10', 'hostile', handlers),
    host,
  };
}

it.each(['__proto__', 'constructor', 'toString'])('a container with the name %s is unknown', async (id) => {
  const { create, plugin } = await rig();
  const update = [{ containerId: id, linux: { resources: { cpu: { shares: { value: 2n } }, unified: {} } } }];
  await plugin({ createContainer: () => CreateContainerResponse.fromPartial({ update }) });
  expect(await create('c')).not.toBe('');
});

/** An adjustment with each field that is a text. */
const rich = () => ({
  annotations: { a: 'b' },
  mounts: [{ destination: '/m', source: '/tmp', type: 'bind', options: ['rbind'] }],
  env: [{ key: 'A', value: 'b' }],
  args: ['sleep', '1'],
  rlimits: [{ type: 'RLIMIT_CORE', hard: 1n, soft: 1n }],
  CDIDevices: [{ name: 'vendor.com/class=x' }],
  hooks: { prestart: [{ path: '/x', args: ['a'], env: ['A=b'] }] },
  linux: {
    devices: [{ path: '/dev/x', type: 'c', major: 1n, minor: 1n }],
    namespaces: [{ type: 'ipc', path: '/proc/1/ns/ipc' }],
    cgroupsPath: '/x',
    sysctl: { 'kernel.shmmax': '1' },
    netDevices: { eth9: { name: 'eth0' } },
    seccompPolicy: { defaultAction: 'allow' },
    resources: {
      cpu: { cpus: '0', mems: '0' },
      hugepageLimits: [{ pageSize: '2MB', limit: 1n }],
      unified: { 'memory.high': '1' },
      blockioClass: { value: 'x' },
      rdtClass: { value: 'x' },
    },
    rdt: { closId: { value: 'x' } },
  },
});

it.each([
  ['nothing', ''],
  ['the mark of removal', '-'],
  ['the directory above', '..'],
  ['a way out', '/../../etc'],
  ['a null character', 'a\0b'],
  ['two lines', 'a\nb=c'],
  ['a prototype', '__proto__'],
  ['the removal of a prototype', '-__proto__'],
  ['a title of a terminal', '\u{1b}]0;x\u{7}'],
  ['a long text', 'x'.repeat(70_000)],
])('no text of an adjustment breaks the runtime: %s', async (_, text) => {
  const { cri, create, plugin } = await rig();
  let adjust: object = {};
  await plugin({ createContainer: () => CreateContainerResponse.fromPartial({ adjust }) });
  for (let index = 0; ; index++) {
    adjust = rich();
    if (!replaceText(adjust, index, text)) break;
    try {
      const containerId = await create(`c${index}`);
      await cri.startContainer({ containerId });
      await cri.containerStatus({ containerId, verbose: true });
      await cri.removeContainer({ containerId });
    } catch (error) {
      expect(error, JSON.stringify(adjust, jsonable)).toBeInstanceOf(CriError);
      expect((error as Error).message).not.toMatch(/undefined|is not a function|Maximum call stack/);
    }
  }
});

const jsonable = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);

it("a plugin's concurrent requests are limited in bytes", async () => {
  const { plugin, host } = await rig();
  const { runtime } = await plugin();
  /** Nothing is updated meanwhile. */
  let open = () => {};
  const closed = new Promise<void>((resolve) => {
    open = resolve;
  });
  await plugin({ stateChange: () => ({}), runPodSandbox: () => closed.then(() => ({})) });
  const busy = host.notify('runPodSandbox', { pod: undefined });
  const update = [{ containerId: 'x'.repeat(3 << 20) }];
  const calls = Array.from({ length: 8 }, () =>
    runtime.call(RuntimeDefinition, 'updateContainers', { update, evict: [] } as never).then(
      () => 'taken',
      (error: Error) => error.message,
    ),
  );
  const refused = await Promise.race([Promise.all(calls.slice(2)), closed]);
  expect(refused).toEqual(Array(6).fill(expect.stringMatching(/at most \d+ bytes/)));
  open();
  await busy;
  expect(await Promise.all(calls.slice(0, 2))).toEqual(['taken', 'taken']);
});

it('a state of one pod and large containers is synchronized in parts, with an end', async () => {
  const { create, plugin } = await rig();
  for (let index = 0; index < 30; index++) await create(`c${index}`, { a: 'x'.repeat(250_000) });
  let messages = 0;
  const { isIn } = await plugin({
    synchronize: ({ more }) => {
      if (++messages > 100) throw new Error('it does not end');
      return SynchronizeResponse.fromPartial({ more });
    },
  });
  expect(messages).toBeLessThan(10);
  expect(isIn).toBe(true);
});
