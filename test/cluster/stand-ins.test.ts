import { afterEach, expect, test } from 'vitest';
import { happen } from '../../src/cluster/faults/preset-faults.js';
import { clusterRig, PODS, podOf } from '../support/cluster/cluster-rig.js';

const { setup, close } = clusterRig();
afterEach(close);

const NODES = '/api/v1/nodes';
const unbound = { nodeName: undefined };

async function rig() {
  const made = await setup({ nodes: ['mock-0', 'mock-1'], standIns: { binds: true, collects: true } });
  const { api, cluster, log, clock } = made;
  const change = (name: string, spec: object) => {
    const node = api.get(`${NODES}/${name}`);
    api.put(NODES, { ...node, spec: { ...node?.spec, ...spec } });
  };
  const pod = (name: string) => api.get(`${PODS}/${name}`);
  const nodeOf = (name: string) => pod(name)?.spec.nodeName;
  const condition = (name: string, type: string) =>
    pod(name)?.status.conditions.find((each: { readonly type: string }) => each.type === type);
  const down = (name: string) => {
    const node = cluster.nodes.get(name);
    if (node === undefined) throw new Error('no node');
    happen('NodeDown', node, 60_000, { clock, log: (message) => log.push(message) });
  };
  return { ...made, change, pod, nodeOf, condition, down };
}

test('pods without a node are spread over the nodes, and run', async () => {
  const { clock, put, change, nodeOf, pod, log } = await rig();
  // Every API server adds it to a new node (admission plugin TaintNodesByCondition); a controller removes it.
  for (const node of ['mock-0', 'mock-1'])
    change(node, { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] });
  await clock.advance(100);
  for (const name of ['a', 'b', 'c', 'd']) put(name, unbound);
  await clock.advance(5000);
  expect(['a', 'b', 'c', 'd'].map(nodeOf).sort()).toEqual(['mock-0', 'mock-0', 'mock-1', 'mock-1']);
  expect(pod('a')?.status.phase).toBe('Running');
  expect(log).toEqual([]);
});

test('a pod goes where its selector, affinity, tolerations and requests allow', async () => {
  const { clock, put, change, nodeOf } = await rig();
  change('mock-0', { taints: [{ key: 'gpu', effect: 'NoSchedule' }] });
  await clock.advance(100);
  const onNode = (name: string) => ({
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [name] }] }],
        },
      },
    },
  });
  const anywhere = { ...unbound, tolerations: [{ operator: 'Exists' }] };
  put('selected', { ...anywhere, nodeSelector: { 'kubernetes.io/hostname': 'mock-1' } });
  put('named', { ...anywhere, ...onNode('mock-1') });
  put('tolerant', anywhere);
  put('plain-1', unbound);
  put('plain-2', unbound);
  await clock.advance(3000);
  expect(['selected', 'named', 'tolerant', 'plain-1', 'plain-2'].map(nodeOf)).toEqual([
    'mock-1',
    'mock-1',
    'mock-0',
    'mock-1',
    'mock-1',
  ]);
});

test('a pod that fits nowhere shows why, as with kube-scheduler, and is bound when it fits', async () => {
  const { clock, put, change, nodeOf, condition } = await rig();
  change('mock-0', { taints: [{ key: 'gpu', effect: 'NoSchedule' }] });
  change('mock-1', { unschedulable: true });
  await clock.advance(100);
  put('web', unbound);
  await clock.advance(1000);
  expect(nodeOf('web')).toBeUndefined();
  expect(condition('web', 'PodScheduled')).toMatchObject({
    status: 'False',
    reason: 'Unschedulable',
    message: '0/2 nodes are available: 2 node(s) had untolerated taint(s).',
  });
  change('mock-1', { unschedulable: undefined });
  await clock.advance(3000);
  expect(nodeOf('web')).toBe('mock-1');
});

test('pods for another scheduler and pods with a gate stay as they are, and no node takes more than fits', async () => {
  const { clock, put, nodeOf } = await rig();
  put('other', { ...unbound, schedulerName: 'volcano' });
  put('gated', { ...unbound, schedulingGates: [{ name: 'example.com/quota' }] });
  const resources = { requests: { cpu: '2' } };
  const containers = [{ name: 'app', image: 'busybox:1', command: ['sleep', '1h'], resources }];
  for (const name of ['a', 'b', 'c']) put(name, { ...unbound, containers });
  await clock.advance(3000);
  expect([nodeOf('other'), nodeOf('gated')]).toEqual([undefined, undefined]);
  expect(['a', 'b', 'c'].map(nodeOf).filter((node) => node !== undefined)).toHaveLength(2);
});

test('a node that is down is NotReady with its pods, which stay, and comes back', async () => {
  const { clock, api, put, condition, down } = await rig();
  put('web');
  await clock.advance(5000);
  down('mock-0');
  await clock.advance(2000);
  const ready = () =>
    api.get(`${NODES}/mock-0`)?.status.conditions.find(({ type }: { type: string }) => type === 'Ready');
  expect(ready()).toMatchObject({ status: 'Unknown', reason: 'NodeStatusUnknown' });
  expect(condition('web', 'Ready')).toMatchObject({ status: 'False' });
  await clock.advance(90_000);
  expect(ready()).toMatchObject({ status: 'True' });
  expect(condition('web', 'Ready')).toMatchObject({ status: 'True' });
});

test('pods of a deleted node are deleted', async () => {
  const { clock, api, put, pod } = await rig();
  put('web');
  put('db', { nodeName: 'mock-1' });
  await clock.advance(5000);
  api.remove(`${NODES}/mock-0`);
  await clock.advance(5000);
  expect(pod('web')).toBeUndefined();
  expect(pod('db')).toBeDefined();
});

test('a pod goes with its last owner, which the kind finds by discovery', async () => {
  const { clock, api, pod, log } = await rig();
  const sets = '/apis/apps/v1/namespaces/default/statefulsets';
  api.put('/apis/apps', {
    metadata: { name: 'v1' },
    resources: [
      { name: 'statefulsets/scale', kind: 'StatefulSet', namespaced: true },
      { name: 'statefulsets', kind: 'StatefulSet', namespaced: true },
    ],
  });
  const owner = (name: string) => ({ apiVersion: 'apps/v1', kind: 'StatefulSet', name, uid: `uid-${name}` });
  for (const name of ['one', 'two'])
    api.put(sets, { metadata: { name, namespace: 'default', uid: `uid-${name}` } });
  const owned = (name: string, ...owners: string[]) => {
    const made = podOf(name);
    api.put(PODS, { ...made, metadata: { ...made.metadata, ownerReferences: owners.map(owner) } });
  };
  owned('mine', 'one');
  owned('both', 'one', 'two');
  owned('free');
  await clock.advance(5000);
  expect(pod('mine')?.status.phase).toBe('Running');
  api.remove(`${sets}/one`);
  await clock.advance(10_000);
  expect([pod('mine'), pod('both')?.status.phase, pod('free')?.status.phase]).toEqual([
    undefined,
    'Running',
    'Running',
  ]);
  expect(log).toEqual([]);
});

test('a pod goes with the owner of its owner, which goes first; an owner of an unknown kind keeps only its own pods', async () => {
  const { clock, api, pod } = await rig();
  api.put('/apis/apps', {
    metadata: { name: 'v1' },
    resources: [
      { name: 'deployments', kind: 'Deployment', namespaced: true },
      { name: 'replicasets', kind: 'ReplicaSet', namespaced: true },
    ],
  });
  const reference = (kind: string, name: string, apiVersion = 'apps/v1') => [
    { apiVersion, kind, name, uid: `uid-${name}` },
  ];
  const apps = '/apis/apps/v1/namespaces/default';
  api.put(`${apps}/deployments`, { metadata: { name: 'web', namespace: 'default', uid: 'uid-web' } });
  for (const [name, ownerReferences] of [
    ['web-1', reference('Deployment', 'web')],
    ['turns', reference('ReplicaSet', 'turns')],
  ] as const)
    api.put(`${apps}/replicasets`, {
      metadata: { name, namespace: 'default', uid: `uid-${name}`, ownerReferences },
    });
  const owned = (name: string, ownerReferences: object) => {
    const made = podOf(name);
    api.put(PODS, { ...made, metadata: { ...made.metadata, ownerReferences } });
  };
  owned('alien', reference('Thing', 'thing', 'no.example/v1'));
  owned('web-1-a', reference('ReplicaSet', 'web-1'));
  owned('turns-a', reference('ReplicaSet', 'turns'));
  await clock.advance(5000);
  expect(pod('web-1-a')?.status.phase).toBe('Running');
  api.remove(`${apps}/deployments/web`);
  await clock.advance(10_000);
  expect([api.get(`${apps}/replicasets/web-1`), pod('web-1-a')]).toEqual([undefined, undefined]);
  expect([pod('alien'), pod('turns-a')].map((each) => each?.status.phase)).toEqual(['Running', 'Running']);
});

test('tokens and the CA of projected volumes are made without an API server that has them', async () => {
  const { clock, api, pod } = await (async () => {
    const made = await setup({ tokenCa: 'CERTIFICATE' });
    return { ...made, pod: (name: string) => made.api.get(`${PODS}/${name}`) };
  })();
  const sources = [
    { serviceAccountToken: { path: 'token', expirationSeconds: 3600 } },
    { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
  ];
  const command = [
    'sh',
    '-c',
    'cut -d. -f2 /t/token | base64 -d | grep -o "sub.*builder" && cat /t/ca.crt && sleep 1h',
  ];
  api.put(
    PODS,
    podOf('web', {
      serviceAccountName: 'builder',
      volumes: [{ name: 't', projected: { sources } }],
      containers: [
        { name: 'app', image: 'busybox:1', command, volumeMounts: [{ name: 't', mountPath: '/t' }] },
      ],
    }),
  );
  await clock.advance(5000);
  expect(pod('web')?.status.containerStatuses).toMatchObject([{ ready: true, restartCount: 0 }]);
  expect(api.requests.filter((each) => each.includes('/token'))).toEqual([]);
});
