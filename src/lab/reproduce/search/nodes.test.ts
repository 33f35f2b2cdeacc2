import { expect, test } from 'vitest';
import { joinSeen } from '../join-seen.js';
import { readLines } from '../read/read-lines.js';
import { nodesFor } from './nodes.js';

const scenario = (featureGates: Record<string, boolean>, version?: string) => ({
  kubelet: { featureGates, version, config: {} },
  runtime: 'strict' as const,
});
const untold = { version: undefined, runtime: undefined, events: [] };
const versions = (...asked: Parameters<typeof nodesFor>) => [
  ...new Set(nodesFor(...asked).map(({ version }) => version)),
];

test('without a version, the default one comes first; with EventedPLEG, one of the design that most versions have', () => {
  expect(versions({ scenario: scenario({}) }, untold)[0]).toBe('1.37');
  expect(versions({ scenario: scenario({ EventedPLEG: true }) }, untold)).toEqual([
    '1.35',
    '1.36',
    '1.34',
    '1.31',
    '1.28',
    '1.37',
  ]);
});

test('a kubelet without a gate of the scenario is not tried', () => {
  expect(versions({ scenario: scenario({ ContainerRestartRules: true }) }, untold)).toEqual([
    '1.37',
    '1.35',
    '1.36',
    '1.34',
  ]);
});

test('what is asked for counts more than the node, and that more than the scenario', () => {
  const own = scenario({}, '1.30');
  expect(versions({ scenario: own }, untold)).toEqual(['1.30']);
  expect(versions({ scenario: own }, { ...untold, version: '1.31' })).toEqual(['1.31']);
  expect(versions({ scenario: own, versions: ['1.29', '1.32'] }, { ...untold, version: '1.31' })).toEqual([
    '1.29',
    '1.32',
  ]);
});

test.each([
  [
    'a runtime in its own words',
    'code = Unknown desc = failed to reserve sandbox name "a": name "a" is reserved for "b"',
    'containerd-2.4',
  ],
  [
    'a newer one',
    'Error: failed to reserve container name "a"; check if another CreateContainer request is in progress: name "a" is reserved for "b"',
    'containerd-2.4',
  ],
  ['another one', 'error reserving pod name: name is reserved', 'cri-o-1.36'],
  ['a text of any runtime', 'context deadline exceeded', 'strict'],
])('%s comes first', (_, message, runtime) => {
  const event = {
    pod: 'web',
    type: 'Warning',
    reason: 'Failed',
    message,
    count: 1,
    time: undefined,
    first: undefined,
  };
  expect(nodesFor({ scenario: scenario({}) }, { ...untold, events: [event] })[0]?.runtime).toBe(runtime);
});

test('a container that is restarted because its hash changed was started by the kubelet before the upgrade', () => {
  const text = '61.0s   Normal   Killing   web   Container app definition changed, will be restarted';
  const upgraded = joinSeen([readLines(text, 'saw.txt').seen], new Map([['web', 0]]));
  expect(versions({ scenario: scenario({}) }, upgraded)).toEqual(['1.30']);
  expect(versions({ scenario: scenario({}) }, { ...upgraded, version: '1.31' })).toEqual(['1.30']);
  expect(versions({ scenario: scenario({}) }, { ...upgraded, version: '1.35' })).toEqual(['1.35']);
  expect(versions({ scenario: scenario({}, '1.29') }, upgraded)).toEqual(['1.29']);
});
