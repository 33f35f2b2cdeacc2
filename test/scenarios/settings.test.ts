import { expect, test } from 'vitest';
import { runsOf } from '../../src/lab/scenario/file/variants.js';
import { run, scenarioOf } from '../support/scenario/simulate.js';

test('a feature gate in the configuration of the kubelet has its effect', async () => {
  const { calls } = await run({
    until: '5s',
    kubelet: { config: { featureGates: { EventedPLEG: true } } },
    expect: {},
  });
  expect(calls.filter(({ rpc }) => rpc === 'GetContainerEvents').length).toBeGreaterThan(0);
});

test('a feature gate of the scenario overrides the one in its configuration', async () => {
  const { calls } = await run({
    until: '5s',
    kubelet: { featureGates: { EventedPLEG: false }, config: { featureGates: { EventedPLEG: true } } },
    expect: {},
  });
  expect(calls.filter(({ rpc }) => rpc === 'GetContainerEvents')).toEqual([]);
});

const names = async (given: object, version?: string) =>
  runsOf(await scenarioOf({ until: '5s', expect: {}, ...given }), version).map(({ name }) => name);

const others = [
  { kubelet: { version: '1.34' }, expect: {} },
  { name: 'new', kubelet: { version: '1.37' }, expect: {} },
];

test('the version that a scenario names runs in addition to its variants', async () => {
  expect(await names({ kubelet: { version: '1.32' }, variants: others })).toEqual([
    'kubelet 1.32',
    'kubelet 1.34',
    'new',
  ]);
  expect(await names({ kubelet: { version: '1.32' }, variants: others }, '1.32')).toEqual(['kubelet 1.32']);
  expect(await names({ variants: others })).toEqual(['kubelet 1.34', 'new']);
  expect(await names({ kubelet: { version: '1.34' }, variants: others })).toEqual(['kubelet 1.34', 'new']);
});
