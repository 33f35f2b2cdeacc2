import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { countWork } from '../../support/work.js';

// A plugin that answers with long lists.

type Adjust = (count: number) => object;

const many = <T>(count: number, item: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => item(index));
const entries = (count: number, key: string) =>
  Object.fromEntries(many(count, (index) => [`${key}${index}`, '']));
const adjustments: Readonly<Record<string, Adjust>> = {
  annotations: (count) => ({ annotations: entries(count, 'a') }),
  mounts: (count) => ({ mounts: many(count, (index) => ({ destination: `/m${index}` })) }),
  variables: (count) => ({ env: many(count, (index) => ({ key: `E${index}`, value: '' })) }),
  limits: (count) => ({ rlimits: many(count, (index) => ({ type: `R${index}` })) }),
  hooks: (count) => ({ hooks: { prestart: many(count, () => ({ path: '/x' })) } }),
  'CDI devices': (count) => ({ CDIDevices: many(count, (index) => ({ name: `v/c=${index}` })) }),
  devices: (count) => ({ linux: { devices: many(count, (index) => ({ path: `/dev/${index}` })) } }),
  namespaces: (count) => ({ linux: { namespaces: many(count, (index) => ({ type: `n${index}` })) } }),
  'huge pages': (count) => ({
    linux: { resources: { hugepageLimits: many(count, (index) => ({ pageSize: `${index}B` })) } },
  }),
  'cgroup values': (count) => ({ linux: { resources: { unified: entries(count, 'u') } } }),
};

const updates = (count: number) => {
  const large = { containerId: 'other', linux: { resources: { unified: entries(count, 'u') } } };
  const small = many(count, () => ({ containerId: 'other', linux: { resources: {} } }));
  return [large, ...small];
};

/** What the plugin answers to CreateContainer. */
const answers: Readonly<Record<string, (count: number) => object>> = {
  ...Object.fromEntries(
    Object.entries(adjustments).map(([name, adjust]) => [
      name,
      (count: number) => ({ adjust: adjust(count) }),
    ]),
  ),
  'updates of one container': (count) => ({ update: updates(count) }),
};

let work: Awaited<ReturnType<typeof countWork>>;
let rig: typeof import('../../support/nri/rig.js');
let messages: typeof import('../../../src/runtime/nri/gen/nri/v1alpha1/api.js');
beforeAll(async () => {
  work = await countWork();
  vi.resetModules();
  rig = await import('../../support/nri/rig.js');
  messages = await import('../../../src/runtime/nri/gen/nri/v1alpha1/api.js');
});
afterAll(() => work.stop());

it.each(Object.entries(answers))('twice as many %s take about twice the work', async (_, answer) => {
  const { create, plugin } = await rig.createNriRig();
  let count = 0;
  const createContainer = () => messages.CreateContainerResponse.fromPartial(answer(count));
  await plugin('10', 'hostile', { createContainer });
  const workFor = (size: number) => {
    count = size;
    // Hooks, for one, are refused.
    return work.of(() => create(`c${size}`, { linux: {} }).catch(String));
  };
  const half = await workFor(400);
  expect(await workFor(800)).toBeLessThan(2.5 * half);
});
