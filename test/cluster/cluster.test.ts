import { afterEach, expect, test } from 'vitest';
import { createRealClock } from '../../src/base/clock/real-clock.js';
import { clusterRig, PODS, podOf } from '../support/cluster/cluster-rig.js';
import { eventually } from '../support/eventually.js';

const { setup, close } = clusterRig();
afterEach(close);

test('a node registers, is ready, and renews its lease', async () => {
  const { clock, api } = await setup();
  const node = api.get('/api/v1/nodes/mock-0');
  expect(node?.metadata.labels).toMatchObject({ zone: 'a', 'kubernetes.io/hostname': 'mock-0' });
  expect(node?.status).toMatchObject({
    capacity: { cpu: '4' },
    allocatable: { cpu: '3', memory: '8Gi' },
    addresses: [
      { type: 'InternalIP', address: '10.1.2.3' },
      { type: 'Hostname', address: 'mock-0' },
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: 10_250 } },
    nodeInfo: { containerRuntimeVersion: 'mockri://0.1.0' },
    declaredFeatures: ['InPlacePodVerticalScalingInitContainers', 'RestartAllContainersOnContainerExits'],
  });
  const conditions = node?.status.conditions as { type: string; status: string }[];
  expect(conditions.map(({ type, status }) => `${type}=${status}`)).toEqual([
    'MemoryPressure=False',
    'DiskPressure=False',
    'PIDPressure=False',
    'Ready=True',
  ]);
  // Its first event comes before the API server has given the node a uid.
  const events = api.all('/api/v1/namespaces/default/events');
  const subjectOf = (reason: string) => events.find((event) => event.reason === reason)?.involvedObject;
  expect(subjectOf('Starting')).toEqual({ apiVersion: 'v1', kind: 'Node', name: 'mock-0', namespace: '' });
  expect(subjectOf('NodeReady')).toMatchObject({ uid: node?.metadata.uid });
  const lease = () => api.get('/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/mock-0');
  const before = lease()?.spec.renewTime;
  await clock.advance(15_000);
  expect(lease()?.spec.renewTime > before).toBe(true);
  expect(lease()?.metadata.ownerReferences[0].uid).toBe(node?.metadata.uid);
});

test('a status that is about to change is not sent: one patch for the start of a pod, and one for its end', async () => {
  const { clock, api, put } = await setup();
  const patches = () => api.requests.filter((request) => request.startsWith(`PATCH ${PODS}/`)).length;
  put('web');
  await clock.advance(10_000);
  expect(patches()).toBe(1);
  const pod = api.get(`${PODS}/web`);
  const deletionTimestamp = new Date(Number(clock.now() / 1_000_000n)).toISOString();
  api.put(PODS, { ...pod, metadata: { ...pod?.metadata, deletionTimestamp, deletionGracePeriodSeconds: 5 } });
  await clock.advance(20_000);
  expect(api.get(`${PODS}/web`)).toBeUndefined();
  expect(patches()).toBe(2);
});

test('a pod that starts slowly shows that it is being created', async () => {
  const { clock, api, put } = await setup();
  const volumes = [{ name: 'files', configMap: { name: 'missing' } }];
  const container = {
    name: 'app',
    image: 'busybox:1',
    volumeMounts: [{ name: 'files', mountPath: '/files' }],
  };
  put('slow', { volumes, containers: [container] });
  await clock.advance(10_000);
  const { containerStatuses: [shown] = [] } = api.get(`${PODS}/slow`)?.status ?? {};
  expect(shown.state.waiting.reason).toBe('ContainerCreating');
});

test('a pod runs, with its status and its events in the API, and disappears when it is deleted', async () => {
  const { clock, api, cluster } = await setup();
  api.put(PODS, podOf('web'));
  await clock.advance(5000);
  const pod = api.get(`${PODS}/web`);
  expect(pod?.status).toMatchObject({
    phase: 'Running',
    hostIP: '10.1.2.3',
    qosClass: 'BestEffort',
    observedGeneration: 1,
    containerStatuses: [{ name: 'app', ready: true, restartCount: 0 }],
  });
  expect(pod?.status.podIP).toMatch(/^10\./);
  // The scheduler's condition keeps its time.
  const scheduled = pod?.status.conditions.find(({ type }: { type: string }) => type === 'PodScheduled');
  expect(scheduled.lastTransitionTime).toBe('1999-01-01T00:00:00Z');
  expect(api.all('/api/v1/namespaces/default/events').map(({ reason }) => reason)).toEqual(
    expect.arrayContaining(['Starting', 'NodeReady', 'Pulling', 'Pulled', 'Created', 'Started']),
  );
  const deletionTimestamp = new Date(Number(clock.now() / 1_000_000n)).toISOString();
  api.put(PODS, { ...pod, metadata: { ...pod?.metadata, deletionTimestamp, deletionGracePeriodSeconds: 5 } });
  await clock.advance(20_000);
  expect(api.get(`${PODS}/web`)).toBeUndefined();
  // The kubelet's garbage collection removes the sandbox.
  await clock.advance(120_000);
  expect(cluster.nodes.get('mock-0')?.runtime.snapshot().sandboxes).toEqual([]);
});

test('a pod that ends shows a terminal phase only after its containers have stopped', async () => {
  const { clock, api } = await setup();
  api.put(PODS, podOf('job', { restartPolicy: 'Never' }, 'sleep 2; exit 3'));
  await clock.advance(15_000);
  const { status } = api.get(`${PODS}/job`) ?? {};
  expect(status).toMatchObject({
    phase: 'Failed',
    containerStatuses: [{ state: { terminated: { exitCode: 3, reason: 'Error' } } }],
  });
});

test('a kubelet that restarts finds its pods, and one that ended stays ended', async () => {
  const { clock, api, cluster } = await setup();
  api.put(PODS, podOf('web'));
  api.put(PODS, podOf('job', { restartPolicy: 'Never' }, 'exit 0'));
  await clock.advance(10_000);
  const before = api.get(`${PODS}/web`)?.status;
  const node = cluster.nodes.get('mock-0');
  node?.stopKubelet();
  await clock.advance(5000);
  const restarted = clock.run(async () => node?.startKubelet());
  await clock.advance(30_000);
  await restarted;
  expect(api.get(`${PODS}/web`)?.status.containerStatuses).toEqual(before.containerStatuses);
  expect(api.get(`${PODS}/web`)?.status.startTime).toBe(before.startTime);
  expect(api.get(`${PODS}/job`)?.status.phase).toBe('Succeeded');
  const started = api.all('/api/v1/namespaces/default/events').filter(({ reason }) => reason === 'Started');
  expect(started).toHaveLength(2);
});

test('changes of others to a status are reverted, but their own conditions are kept', async () => {
  const { clock, api } = await setup();
  api.put(PODS, podOf('web'));
  await clock.advance(5000);
  const pod = structuredClone(api.get(`${PODS}/web`)) ?? {};
  for (const condition of pod.status.conditions) if (condition.type === 'Ready') condition.status = 'False';
  pod.status.conditions.push({ type: 'example.com/Gate', status: 'True' });
  api.put(PODS, pod);
  await clock.advance(15_000);
  const after = api.get(`${PODS}/web`)?.status.conditions as { type: string; status: string }[];
  expect(after.find(({ type }) => type === 'Ready')?.status).toBe('True');
  expect(after.find(({ type }) => type === 'example.com/Gate')?.status).toBe('True');
});

test('a watch that is too old lists again: nothing is lost and nothing runs twice', async () => {
  const { clock, api, cluster } = await setup();
  api.put(PODS, podOf('old'));
  await clock.advance(5000);
  api.endWatches({ code: 410, message: 'too old resource version' });
  api.put(PODS, podOf('new'));
  api.remove(`${PODS}/old`);
  await clock.advance(60_000);
  expect(api.get(`${PODS}/new`)?.status.phase).toBe('Running');
  const names = cluster.nodes
    .get('mock-0')
    ?.runtime.snapshot()
    .sandboxes.map(({ name }) => name);
  expect(names).toEqual(['new']);
});

test('after an outage of five minutes the API server gets the current state', async () => {
  const { clock, api, log } = await setup();
  api.put(PODS, podOf('web'));
  api.put(PODS, podOf('crash', {}, 'sleep 3; exit 1'));
  await clock.advance(5000);
  api.fail(new Error('connect ECONNREFUSED'));
  api.endWatches();
  await clock.advance(300_000);
  const restarts = () => api.get(`${PODS}/crash`)?.status.containerStatuses[0].restartCount;
  const before = restarts();
  api.fail(undefined);
  await clock.advance(60_000);
  expect(api.get(`${PODS}/web`)?.status.phase).toBe('Running');
  expect(restarts()).toBeGreaterThan(before + 2);
  expect(api.get('/api/v1/nodes/mock-0')?.status.conditions.at(-1)).toMatchObject({ status: 'True' });
  // One line for each attempt of the two watches, and some for statuses: no flood.
  expect(log.length).toBeLessThan(100);
});

test('a pod of another node and a mirror pod are left alone', async () => {
  const { clock, api, cluster } = await setup();
  api.put(PODS, podOf('foreign', { nodeName: 'other' }));
  const mirror = podOf('static');
  api.put(PODS, {
    ...mirror,
    metadata: { ...mirror.metadata, annotations: { 'kubernetes.io/config.mirror': 'x' } },
  });
  await clock.advance(5000);
  expect(cluster.pods).toBe(0);
});

test("a pod with a readiness gate is ready when the gate's condition is true", async () => {
  const { clock, api } = await setup();
  api.put(PODS, podOf('gated', { readinessGates: [{ conditionType: 'example.com/Gate' }] }));
  const ready = () =>
    api.get(`${PODS}/gated`)?.status.conditions.find(({ type }: { type: string }) => type === 'Ready');
  await clock.advance(5000);
  expect(ready()).toMatchObject({
    status: 'False',
    reason: 'ReadinessGatesNotReady',
    message: 'corresponding condition of pod readiness gate "example.com/Gate" does not exist.',
  });
  const open = async (status: string) => {
    const pod = structuredClone(api.get(`${PODS}/gated`)) ?? {};
    const others = pod.status.conditions.filter(({ type }: { type: string }) => type !== 'example.com/Gate');
    pod.status.conditions = [...others, { type: 'example.com/Gate', status }];
    api.put(PODS, pod);
    await clock.advance(5000);
  };
  await open('False');
  expect(ready().message).toBe(
    'the status of pod readiness gate "example.com/Gate" is not "True", but False',
  );
  await open('True');
  expect(ready()).toMatchObject({ status: 'True' });
});

test('containers have the variables of the services in their namespace', async () => {
  const { clock, api } = await setup();
  api.put('/api/v1/namespaces/default/services', {
    metadata: { name: 'web', namespace: 'default' },
    spec: { clusterIP: '10.0.0.7', ports: [{ port: 80 }] },
  });
  await clock.advance(1000);
  const command = '[ "$WEB_SERVICE_HOST:$WEB_PORT_80_TCP_PORT" = 10.0.0.7:80 ]';
  api.put(PODS, podOf('linked', { restartPolicy: 'Never' }, command));
  api.put(PODS, podOf('unlinked', { restartPolicy: 'Never', enableServiceLinks: false }, command));
  await clock.advance(10_000);
  expect(api.get(`${PODS}/linked`)?.status.phase).toBe('Succeeded');
  expect(api.get(`${PODS}/unlinked`)?.status.phase).toBe('Failed');
});

test('a pod that does not fit on the node fails, and uses no resources', async () => {
  const { clock, api } = await setup();
  const wanting = (name: string, cpu: string, more: object = {}) =>
    podOf(name, {
      containers: [{ name: 'app', image: 'nginx:1', resources: { requests: { cpu } } }],
      ...more,
    });
  api.put(PODS, wanting('first', '2'));
  await clock.advance(5000);
  api.put(PODS, wanting('second', '2'));
  api.put(PODS, wanting('third', '1'));
  api.put(PODS, wanting('elsewhere', '0', { nodeSelector: { zone: 'b' } }));
  await clock.advance(5000);
  expect(api.get(`${PODS}/second`)?.status).toMatchObject({
    phase: 'Failed',
    reason: 'OutOfcpu',
    message:
      "Pod was rejected: Node didn't have enough resource: cpu, requested: 2000, used: 2000, capacity: 3000",
  });
  expect(api.get(`${PODS}/third`)?.status.phase).toBe('Running');
  expect(api.get(`${PODS}/elsewhere`)?.status).toMatchObject({ phase: 'Failed', reason: 'NodeAffinity' });
  const events = api.all('/api/v1/namespaces/default/events').map(({ reason }) => reason);
  expect(events).toEqual(expect.arrayContaining(['OutOfcpu', 'NodeAffinity']));
  const pod = api.get(`${PODS}/second`);
  const deletionTimestamp = new Date(Number(clock.now() / 1_000_000n)).toISOString();
  api.put(PODS, { ...pod, metadata: { ...pod?.metadata, deletionTimestamp, deletionGracePeriodSeconds: 5 } });
  await clock.advance(10_000);
  expect(api.get(`${PODS}/second`)).toBeUndefined();
});

test('nodes whose time is faster renew their leases in real time, and wait for objects outside of their time', async () => {
  const { clock, api, put } = await setup({ apiClock: createRealClock() });
  const lease = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
  await eventually(() => api.get(`${lease}/mock-0`)).toBeDefined();
  const { request } = api.client;
  const slowly: typeof request = async (asked) => {
    if (asked.path.includes('configmaps')) await createRealClock().sleep(50);
    return request(asked);
  };
  Object.assign(api.client, { request: slowly });
  api.put('/api/v1/namespaces/default/configmaps', { metadata: { name: 'c' }, data: { a: 'b' } });
  const env = [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'c', key: 'a' } } }];
  put('web', { containers: [{ name: 'app', image: 'busybox:1', command: ['sleep', '1h'], env }] });
  while (api.get(`${PODS}/web`)?.status.phase !== 'Running') await clock.advance(60_000);
  const { startTime, containerStatuses } = api.get(`${PODS}/web`)?.status ?? {};
  expect(Date.parse(containerStatuses[0].state.running.startedAt) - Date.parse(startTime)).toBeLessThan(2000);
  expect(api.requests.filter((each) => each.endsWith(`${lease}/mock-0`)).length).toBeLessThan(3);
});
