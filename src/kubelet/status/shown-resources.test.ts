import { expect, test } from 'vitest';
import { aContainer, aRuntimeContainer } from '../../../test/support/kubelet/objects.js';
import type { RuntimeContainerStatus } from '../types/runtime-status.js';
import { type ShownResources, shownResources } from './shown-resources.js';

type List = Readonly<Record<string, string>>;
const shown = (
  { requests = {}, limits = {} }: { requests?: List; limits?: List },
  instance: Partial<RuntimeContainerStatus> = {},
  more: Partial<ShownResources> = {},
) =>
  shownResources({
    spec: aContainer({ resources: { requests, limits } }),
    instance: aRuntimeContainer(instance),
    actuated: undefined,
    old: undefined,
    ...more,
  })?.resources;

test('a running container has what the runtime reports, in the API’s notation', () => {
  const resources = { cpuRequest: 1500, cpuLimit: 2000, memoryLimit: 2 ** 26 };
  const asked = { requests: { cpu: '1', 'example.com/gpu': '1' }, limits: { cpu: '1', memory: '1Gi' } };
  expect(shown(asked, { resources })).toEqual({
    requests: { cpu: '1500m', 'example.com/gpu': '1' },
    limits: { cpu: '2', memory: '64Mi' },
  });
});

test('the least that a runtime can have is shown as what was asked for', () => {
  const resources = { cpuRequest: 2, cpuLimit: 10 };
  const asked = { requests: { cpu: '1m' }, limits: { cpu: '5m' } };
  expect(shown(asked, { resources })).toEqual(asked);
  expect(shown({ requests: { cpu: '3m' } }, { resources })?.requests).toEqual({ cpu: '2m' });
});

test('what a runtime does not report is what it was last told', () => {
  const actuated = { requests: { cpu: '1', memory: '32Mi' }, limits: { memory: '64Mi' } };
  const asked = { requests: { cpu: '2', memory: '48Mi' }, limits: { memory: '96Mi' } };
  expect(shown(asked, {}, { actuated })).toEqual(actuated);
  const resources = { cpuRequest: 1000, memoryLimit: 2 ** 26 };
  expect(shown(asked, { resources }, { actuated })).toEqual(actuated);
});

test('a container that does not run has what its node has set aside', () => {
  const asked = { requests: { cpu: '2' }, limits: {} };
  expect(shown(asked, { state: 'exited', resources: { cpuRequest: 1000 } })).toEqual(asked);
  expect(shown({})).toBeUndefined();
});
