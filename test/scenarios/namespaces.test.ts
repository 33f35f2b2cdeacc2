import { expect, test } from 'vitest';
import { startKubelet } from '../../src/lab/scenario/thin-kubelet.js';
import { startMockri } from '../../src/testing/index.js';
import { scenarioOf, simulateScenario } from '../support/scenario/simulate.js';

const web = (namespace: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace },
  spec: { containers: [{ name: 'app', image: 'busybox:1', command: ['sleep', '1000'] }] },
});

const NAMES = ['blue/web', 'web'];

test('two pods with the same name in two namespaces have their own rows, events and ends in a scenario', async () => {
  const scenario = await scenarioOf({
    until: '2m',
    pods: [{ manifest: web('default') }, { manifest: web('blue') }],
    timeline: [{ at: '10s', do: { removePod: 'blue/web' } }],
    expect: {
      lastRow: [{ pod: 'web', status: 'Running' }],
      gone: [{ pod: 'blue/web' }],
      rules: ['nothing-left', 'one-instance', 'shows-truth'],
    },
  });
  const run = await simulateScenario(scenario);
  const running = run.rows.filter(({ ready }) => ready === '1/1').map(({ pod }) => pod);
  expect([...new Set(running)].sort()).toEqual(NAMES);
  expect([...new Set(run.events.map(({ pod }) => pod))].sort()).toEqual(NAMES);
  expect([...new Set(run.containerEvents.map(({ pod }) => pod))].sort()).toEqual(NAMES);
  expect(run.pods.filter(({ what }) => what === 'gone').map(({ pod }) => pod)).toEqual(['blue/web']);
  expect(run.left.map(({ pod }) => pod)).toEqual(['web']);
});

test('a pod in another namespace is found by its name alone if the name is unique', async () => {
  const scenario = await scenarioOf({
    until: '2m',
    pods: [{ manifest: web('blue') }],
    timeline: [{ at: '10s', do: { removePod: 'web' } }],
    expect: { rowsInclude: [{ pod: 'web', status: 'Running' }], gone: [{ pod: 'web' }] },
  });
  expect(scenario.expect.gone).toMatchObject([{ pod: 'blue/web' }]);
  const run = await simulateScenario(scenario);
  expect(run.pods.map(({ pod, what }) => `${pod} ${what}`)).toEqual(['blue/web deleted', 'blue/web gone']);
});

test('the same of the library’s kubelet', async () => {
  await using mockri = await startMockri({ clock: 'virtual' });
  await using kubelet = await startKubelet({
    runtime: mockri.client,
    clock: mockri.clock,
    manifests: [JSON.stringify(web('default')), JSON.stringify(web('blue'))],
  });
  await mockri.advance('20s');
  const running = kubelet.rows.filter(({ ready }) => ready === '1/1').map(({ pod }) => pod);
  expect(running.sort()).toEqual(NAMES.map((name) => `${name}-mock-node`));
});
