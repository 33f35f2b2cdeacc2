import { expect, test } from 'vitest';
import { createNriRig } from '../../../test/support/nri/rig.js';
import { createRealClock } from '../../base/clock/real-clock.js';
import { createFaults } from '../faults/faults.js';
import type { FaultHost } from '../faults/host.js';
import type { FaultInput } from '../faults/language/rule-schema.js';
import { parseShorthand } from '../faults/language/shorthand.js';
import { readRules } from '../faults/language/written-rule.js';
import { replyOf } from './events.js';
import { CreateContainerResponse } from './gen/nri/v1alpha1/api.js';
import type { HostOptions } from './options.js';

const host = { conditions: () => ({ runtime: true, network: true }) } as unknown as FaultHost;

async function rig(rule: string | FaultInput, options: Partial<HostOptions> = {}) {
  const applied: string[] = [];
  const faults = createFaults({
    host,
    clock: createRealClock(),
    pluginReply: replyOf,
    onFault: ({ method, subject }) => applied.push(`${method} ${subject.container?.name ?? ''}`.trim()),
  });
  const rules = typeof rule === 'string' ? parseShorthand(rule) : [rule];
  faults.registry.add(readRules(rules, 'test'), 'test');
  return { ...(await createNriRig({ faults: () => faults.plugins, ...options })), applied, faults };
}

test('an error of a plugin fails the request of the client, and only for its container', async () => {
  const { create, plugin, applied } = await rig({
    match: { method: 'nri:CreateContainer', container: { name: 'c' }, pod: { name: 'web' } },
    then: { error: { code: 'PERMISSION_DENIED', message: 'no' } },
  });
  const { requests } = await plugin('10', 'logger');
  await create('other');
  await expect(create('c')).rejects.toThrow('rpc error: code = PermissionDenied desc = no');
  expect(requests).not.toContain('CreateContainer c');
  expect(applied).toEqual(['nri:CreateContainer c']);
});

test('a rule acts on the plugin that it names', async () => {
  const {
    create,
    plugin,
    host: nri,
  } = await rig({
    match: { method: 'nri:*', plugin: '1?-a' },
    when: { after: 2 },
    then: { close: {} },
  });
  await plugin('10', 'a');
  await plugin('20', 'a');
  await create('c');
  expect(nri.plugins.map(({ name }) => name)).toEqual(['20-a']);
});

test.each(['nri:CreateContainer=hang', 'nri:CreateContainer:reply=delay(10s)'])(
  '%s: a reply after the timeout drops the plugin, and the request continues',
  async (rule) => {
    const { create, plugin, host: nri } = await rig(rule, { requestTimeout: 50 });
    const { requests } = await plugin('10', 'slow');
    await create('c');
    expect(nri.plugins).toEqual([]);
    expect(requests.includes('CreateContainer c')).toBe(rule.includes('reply'));
  },
);

test('a delay within the timeout changes nothing', async () => {
  const { create, plugin, host: nri } = await rig('nri:CreateContainer=delay(10ms)');
  await plugin('10', 'a');
  await create('c');
  expect(nri.plugins).toHaveLength(1);
});

test('a corrupt reply drops the plugin', async () => {
  const { create, plugin, host: nri } = await rig('nri:CreateContainer=corrupt');
  const { requests } = await plugin('10', 'a');
  await create('c');
  expect(requests).toContain('CreateContainer c');
  expect(nri.plugins).toEqual([]);
});

test.each(['nri:Synchronize=close', 'nri:Synchronize:reply=close'])(
  '%s: a connection that is lost in the middle of Synchronize; the plugin may come again',
  async (rule) => {
    const { plugin, host: nri, faults } = await rig(rule);
    expect((await plugin('10', 'a')).isIn).toBe(false);
    faults.registry.reset();
    expect((await plugin('10', 'a')).isIn).toBe(true);
    expect(nri.plugins).toHaveLength(1);
  },
);

test('a plugin gets a request twice', async () => {
  const { create, plugin } = await rig('nri:PostCreateContainer=duplicate');
  const { requests } = await plugin('10', 'a');
  await create('c');
  expect(requests.filter((each) => each.startsWith('PostCreate'))).toHaveLength(2);
});

test('an adjustment that conflicts is put into the reply of a plugin', async () => {
  const adjust = { env: [{ key: 'X', value: '2' }] };
  const { create, plugin } = await rig({
    match: { method: 'nri:CreateContainer', plugin: '20-b' },
    then: { reply: { patch: { adjust } } },
  });
  await plugin('10', 'a', {
    createContainer: () =>
      CreateContainerResponse.fromPartial({ adjust: { env: [{ key: 'X', value: '1' }] } }),
  });
  await plugin('20', 'b');
  await expect(create('c')).rejects.toThrow('plugins "20-b" and "10-a" both tried to set Env X');
});

test.each([
  [
    'nri:CreateContainer',
    { patch: { adjus: {} } },
    'then.reply.patch.adjus: no reply.*did you mean "adjust"',
  ],
  [
    'nri:CreateContainer',
    { replace: { adjust: { linux: { resources: { memory: { limt: { value: 1 } } } } } } },
    'then.reply.replace.adjust.linux.resources.memory.limt: no reply.*did you mean "limit"',
  ],
  ['nri:StartContainer', { patch: { adjust: {} } }, 'then.reply.patch.adjust: no reply'],
])('a rule with a field that the reply to %s does not have is refused: %j', async (method, reply, text) => {
  await expect(rig({ match: { method }, then: { reply } })).rejects.toThrow(new RegExp(text));
});

test.each([
  ['nri:*', { adjust: { annotations: { any: 'x' } } }],
  ['nri:CreateContainer', { adjust: { CDIDevices: [{ name: 'x' }], linux: { sysctl: { any: '1' } } } }],
  ['nri:Configure', { events: { $add: 1 }, failure_policy: { fail_request: true } }],
] as const)('a rule with the fields of a reply to %s is taken: %j', async (method, patch) => {
  await expect(rig({ match: { method }, then: { reply: { patch } } })).resolves.toBeDefined();
});

test('two plugins of one name are both asked, and one can be dropped', async () => {
  const {
    cri,
    create,
    plugin,
    host: nri,
  } = await rig({
    match: { method: 'nri:StartContainer', plugin: '10-a' },
    when: { times: 1 },
    then: { close: {} },
  });
  const first = await plugin('10', 'a');
  const second = await plugin('10', 'a');
  const containerId = await create('c');
  expect([first, second].map(({ requests }) => requests.includes('CreateContainer c'))).toEqual([true, true]);
  await cri.startContainer({ containerId });
  expect(nri.plugins.map(({ name }) => name)).toEqual(['10-a']);
  expect(first.requests).not.toContain('StartContainer c');
  expect(second.requests).toContain('StartContainer c');
});
