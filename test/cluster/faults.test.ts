import { afterEach, expect, test } from 'vitest';
import type { z } from 'zod';
import type { Cluster } from '../../src/cluster/cluster.js';
import { createNodeFaults } from '../../src/cluster/faults/node-faults.js';
import { happen } from '../../src/cluster/faults/preset-faults.js';
import { readRules } from '../../src/runtime/faults/language/written-rule.js';
import { clusterRig, controlOf, PODS } from '../support/cluster/cluster-rig.js';
import { nodeOperations } from '../support/openapi/node-operations.js';

const { setup, close } = clusterRig();
afterEach(close);

const rulesOf = ({ nodes }: Cluster) =>
  Object.fromEntries(
    [...nodes].map(([name, { assembly }]) => [
      name,
      assembly.faults.registry.list().map((rule) => rule.name),
    ]),
  );

test('a rule for some nodes applies to these, under one name, with one count for all of them', async () => {
  const { clock, cluster } = await setup({ nodes: ['mock-0', 'mock-1', 'other'] });
  const faults = createNodeFaults(cluster.nodes, clock);
  const all = { then: { delay: '1ms' }, match: { method: 'ListContainers' } };
  faults.add(
    readRules(
      [
        { ...all, match: { ...all.match, node: 'mock-*' } },
        { name: 'everywhere', ...all },
      ],
      'test',
    ),
    'test',
  );
  const [first = ''] = faults.list().map(({ name }) => name);
  expect(rulesOf(cluster)).toEqual({
    'mock-0': [first, 'everywhere'],
    'mock-1': [first, 'everywhere'],
    other: ['everywhere'],
  });
  await clock.advance(10_000);
  const [some, every] = faults.list();
  expect(some?.applied).toBeGreaterThan(10);
  expect(every?.applied).toBeGreaterThan(some?.applied ?? 0);
  faults.remove(first);
  expect(rulesOf(cluster)['mock-0']).toEqual(['everywhere']);
  faults.reset();
  expect(rulesOf(cluster).other).toEqual([]);
});

test('the remaining count of a rule is the sum over its nodes', async () => {
  const { clock, cluster } = await setup({ nodes: ['mock-0', 'mock-1', 'other'] });
  const faults = createNodeFaults(cluster.nodes, clock);
  const rule = {
    match: { method: 'ListContainers', node: 'mock-*' },
    when: { times: 3 },
    then: { delay: '1ms' },
  };
  const per = { ...rule, name: 'per', when: { times: 3, per: 'pod' as const } };
  faults.add(readRules([{ ...rule, name: 'three' }, per], 'test'), 'test');
  expect(faults.list().map(({ left }) => left)).toEqual([6, undefined]);
  await clock.advance(20_000);
  expect(faults.list()[0]).toMatchObject({ applied: 6, left: 0 });
});

test('the seed of a file gives each node its own decisions', async () => {
  const applied = async (seed: number) => {
    const { clock, cluster } = await setup({ nodes: ['mock-0', 'mock-1'] });
    const faults = createNodeFaults(cluster.nodes, clock);
    const chance = {
      match: { method: 'ListContainers' },
      when: { probability: 0.5 },
      then: { delay: '1ms' },
    };
    faults.replaceSource(readRules([chance], 'file'), 'file', seed);
    const counts: number[][] = [];
    for (let step = 0; step < 20; step++) {
      await clock.advance(1000);
      counts.push(
        [...cluster.nodes.values()].map((node) => node.assembly.faults.registry.list()[0]?.applied ?? 0),
      );
    }
    return counts;
  };
  const first = await applied(7);
  expect(await applied(7)).toEqual(first);
  expect(await applied(8)).not.toEqual(first);
  expect(first.some(([a, b]) => a !== b)).toBe(true);
});

test('a rule may have any name, even with rules from annotations or node faults', async () => {
  const { clock, api, cluster, log } = await setup({ nodes: ['mock-0', 'mock-1'] });
  const annotations = {
    'fault.mockri.dev/StartContainer': '1*error(UNAVAILABLE)',
    'fault.mockri.dev/SlowDisk': '1m',
  };
  const node = api.get('/api/v1/nodes/mock-1');
  api.put('/api/v1/nodes', { ...node, metadata: { ...node?.metadata, annotations } });
  await clock.advance(1000);
  const names = ['error-StartContainer-1', 'SlowDisk-writes'];
  const faults = createNodeFaults(cluster.nodes, clock);
  faults.add(
    readRules(
      names.map((name) => ({ name, match: { method: 'Version' }, then: { delay: '1ms' } })),
      'test',
    ),
    'test',
  );
  expect(faults.list().map(({ name }) => name)).toEqual(names);
  expect(rulesOf(cluster)['mock-0']).toEqual(names);
  expect(rulesOf(cluster)['mock-1']).toEqual(expect.arrayContaining(names));
  expect(log).toEqual([]);
});

test('NodeDown: the node stops its heartbeats, loses its containers, and runs its pods again afterwards', async () => {
  const { clock, api, cluster, put, log } = await setup();
  put('web');
  await clock.advance(5000);
  const node = cluster.nodes.get('mock-0');
  if (node === undefined) throw new Error('no node');
  const lease = () =>
    api.get('/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/mock-0')?.spec.renewTime;
  happen('NodeDown', node, 60_000, { clock, log: (message) => log.push(message) });
  await clock.advance(1000);
  const before = lease();
  expect(node.up).toBe(false);
  expect(node.runtime.snapshot().sandboxes).toEqual([]);
  await clock.advance(50_000);
  expect(lease()).toBe(before);
  await clock.advance(60_000);
  expect(lease()).not.toBe(before);
  expect(api.get('/api/v1/namespaces/default/pods/web')?.status).toMatchObject({
    phase: 'Running',
    containerStatuses: [{ ready: true, restartCount: 1 }],
  });
  expect(log).toEqual([]);
});

test.each(['KubeletRestart', 'RuntimeRestart', 'SlowDisk'] as const)(
  '%s leaves the containers of a pod alone',
  async (kind) => {
    const { clock, cluster, put, log } = await setup();
    put('web');
    await clock.advance(5000);
    const node = cluster.nodes.get('mock-0');
    if (node === undefined) throw new Error('no node');
    const containers = () => node.runtime.snapshot().sandboxes.flatMap((sandbox) => sandbox.containers);
    const before = containers();
    happen(kind, node, 5000, { clock, log: (message) => log.push(message) });
    await clock.advance(60_000);
    expect(containers()).toEqual(before);
    expect(node.up).toBe(true);
    expect(node.assembly.faults.registry.list()).toEqual([]);
    expect(log).toEqual([]);
  },
);

test('annotations of a node become rules, and an invalid one is logged', async () => {
  const { clock, api, cluster, log } = await setup();
  const annotate = async (annotations: Record<string, string>) => {
    const node = api.get('/api/v1/nodes/mock-0');
    api.put('/api/v1/nodes', { ...node, metadata: { ...node?.metadata, annotations } });
    await clock.advance(1000);
  };
  await annotate({
    'fault.mockri.dev/StartContainer': '1*error(UNAVAILABLE)',
    'fault.mockri.dev/StopContainer': 'nonsense',
    'fault.mockri.dev/KubeletRestart': '1m',
  });
  const node = cluster.nodes.get('mock-0');
  expect(node?.assembly.faults.registry.list().map(({ spec }) => spec.match?.method)).toEqual([
    'StartContainer',
  ]);
  expect(node?.up).toBe(false);
  expect(log.join()).toContain('annotation fault.mockri.dev/StopContainer');
  await clock.advance(90_000);
  expect(node?.up).toBe(true);
  await annotate({});
  expect(node?.assembly.faults.registry.list()).toEqual([]);
});

test('a node that is down is up again when its fault is removed, and no earlier fault starts it later', async () => {
  const rig = await setup({ nodes: ['mock-0', 'mock-1'] });
  const { clock, cluster } = rig;
  const { ask } = controlOf(rig);
  const up = () => [...cluster.nodes.values()].map((node) => node.up);
  const down = (duration: string) =>
    ask('POST', '/v1/node-faults', { kind: 'NodeDown', node: 'mock-0', for: duration });
  await down('1m');
  await clock.advance(1000);
  expect(up()).toEqual([false, true]);
  expect(await ask('DELETE', '/v1/node-faults/mock-0')).toEqual({ status: 202, json: { nodes: ['mock-0'] } });
  await clock.advance(1000);
  expect(up()).toEqual([true, true]);
  await down('1m');
  await down('1h');
  await clock.advance(120_000);
  expect(up()).toEqual([false, true]);
});

test('a status that somebody else sets while the kubelet is down stays', async () => {
  const { clock, api, cluster, put, log } = await setup();
  put('web');
  await clock.advance(5000);
  const node = cluster.nodes.get('mock-0');
  if (node === undefined) throw new Error('no node');
  happen('NodeDown', node, 600_000, { clock, log: (message) => log.push(message) });
  await clock.advance(1000);
  const pod = api.get(`${PODS}/web`);
  const conditions = [{ type: 'Ready', status: 'False', reason: 'NodeLost' }];
  api.put(PODS, { ...pod, status: { ...pod?.status, conditions } });
  await clock.advance(60_000);
  expect(api.get(`${PODS}/web`)?.status.conditions).toEqual(conditions);
  await clock.advance(600_000);
  expect(api.get(`${PODS}/web`)?.status.containerStatuses).toMatchObject([{ ready: true, restartCount: 1 }]);
});

test('the control API shows nodes as its schema describes them', async () => {
  const { ask } = controlOf(await setup({ nodes: ['mock-0', 'mock-1'] }));
  const shown = async (operation: string, path: string, query: object) => {
    const reply = await ask('GET', path, query);
    const described = nodeOperations[operation]?.reply as { readonly json: z.ZodType };
    return described.json.parse((reply as { readonly json: unknown }).json);
  };
  expect(await shown('GET /v1/nodes', '/v1/nodes', { node: '*-1' })).toMatchObject({
    nodes: [{ name: 'mock-1', kubelet: 'running', pods: 0, sandboxes: { READY: 0 } }],
  });
  expect(await shown('GET /v1/nodes/:name/state', '/v1/nodes/mock-0/state', {})).toMatchObject({
    sandboxes: [],
  });
});
