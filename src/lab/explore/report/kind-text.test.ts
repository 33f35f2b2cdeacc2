import { expect, test } from 'vitest';
import { candidatesOf } from '../catalog/catalog.js';
import { kindText } from './kind-text.js';

test.each([
  [
    'same-end | done late StartContainer',
    'same-end: StartContainer returns an error, but takes effect 5s later',
  ],
  [
    'one-instance | exit 1 | state CREATED ContainerStatus',
    'one-instance: exit 1, and ContainerStatus shows the container as created and not started',
  ],
  ['error before for 40s PullImage', 'PullImage fails before it does anything, for 40s'],
  [
    'delay StartContainer and error before 3 times PullImage',
    'StartContainer takes long to return, and PullImage fails before it does anything, 3 times',
  ],
  ['event 1000 times GetContainerEvents', 'an event of GetContainerEvents arrives 1000 times'],
  ['runtime restarted for 5s, state kept', 'runtime restarted for 5s, state kept'],
])('%s: %s', (kind, text) => {
  expect(kindText(kind)).toBe(text);
});

const METHODS = [
  'StartContainer',
  'CreateContainer',
  'ListContainers',
  'ContainerStatus',
  'PodSandboxStatus',
  'GetContainerEvents',
];

test('each kind of the catalog about a call or a message is said as its perturbation says it', () => {
  const at = { before: 0, at: 1000, state: '' };
  const points = METHODS.map((method) => ({ what: 'call' as const, method, timeout: 120_000, ...at }));
  const message = { what: 'message' as const, method: 'GetContainerEvents', ...at };
  const found = candidatesOf({ points: [...points, message], moments: [], states: [] });
  expect(found.length).toBeGreaterThan(40);
  for (const { perturbation } of found) {
    const [, says = ''] =
      /^(?:an event of )?\w+ (.*?)(?:, (?:for|from|five|once) .*)?$/.exec(kindText(perturbation.kind)) ?? [];
    expect(perturbation.text, perturbation.kind).toContain(` ${says}`);
  }
});
