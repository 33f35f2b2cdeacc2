import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { createNodeFaults } from '../../src/cluster/faults/node-faults.js';
import { happen } from '../../src/cluster/faults/preset-faults.js';
import type { LinuxContainerResources } from '../../src/cri/gen/runtime/v1/api.js';
import { readRules } from '../../src/runtime/faults/language/written-rule.js';
import type { Entry } from '../../src/tape/entries.js';
import { clusterRig, PODS, podOf } from '../support/cluster/cluster-rig.js';
import { useTemporaryDirectories } from '../support/temporary.js';

const { setup, close } = clusterRig();
afterEach(close);
const directory = useTemporaryDirectories();

type Rig = Awaited<ReturnType<typeof setup>>;
type List = Readonly<Record<string, string>>;
interface Wanted {
  readonly requests?: List;
  readonly limits?: List;
}

const containerOf = (resources: Wanted, more: object = {}) => ({
  name: 'app',
  image: 'busybox:1',
  command: ['sh', '-c', 'sleep 100000'],
  resources,
  ...more,
});

/** Containers of a pod, and what `kubectl patch --subresource resize` does to them. */
function podsOf({ api, clock, cluster }: Rig) {
  const node = cluster.nodes.get('mock-0');
  if (node === undefined) throw new Error('no node');
  const show = (name: string) => api.get(`${PODS}/${name}`);
  const start = async (name: string, ...containers: object[]) => {
    api.put(PODS, podOf(name, { containers }));
    await clock.advance(5000);
  };
  const resize = async (name: string, ...wanted: Wanted[]) => {
    const pod = structuredClone(show(name)) ?? {};
    pod.metadata.generation++;
    for (const [index, resources] of wanted.entries()) pod.spec.containers[index].resources = resources;
    api.put(PODS, pod);
    await clock.advance(5000);
  };
  return {
    node,
    start,
    resize,
    container: (name: string) => show(name)?.status.containerStatuses[0],
    /** Conditions about resizing. */
    conditions: (name: string) =>
      show(name)?.status.conditions.filter(({ type }: { type: string }) => type.startsWith('PodResize')),
    events: (name: string) =>
      api
        .all('/api/v1/namespaces/default/events')
        .filter(({ involvedObject }) => involvedObject.name === name)
        .map(({ type, reason, message }) => `${type} ${reason} ${message}`)
        .filter((text) => /Resize|Killing|resize/.test(text)),
    /** What the runtime has. */
    actual: async (name: string) => {
      const containerId = show(name)?.status.containerStatuses[0].containerID.replace(/.*:\/\//, '');
      const [{ status }] = await Promise.all([node.cri.containerStatus({ containerId }), clock.advance(10)]);
      return status?.resources?.linux;
    },
  };
}

test('a container gets its new resources while it runs', async () => {
  const rig = await setup();
  const { start, resize, container, conditions, events, actual } = podsOf(rig);
  await start('web', containerOf({ requests: { cpu: '500m', memory: '64Mi' }, limits: { memory: '128Mi' } }));
  const before = container('web');
  expect(before.resources).toEqual({
    requests: { cpu: '500m', memory: '64Mi' },
    limits: { memory: '128Mi' },
  });
  const wanted = { requests: { cpu: '1', memory: '64Mi' }, limits: { memory: '256Mi' } };
  await resize('web', wanted);
  expect(container('web')).toEqual({ ...before, resources: wanted, allocatedResources: wanted.requests });
  expect(await actual('web')).toMatchObject({ cpuShares: 1024n, memoryLimitInBytes: 268_435_456n });
  expect(conditions('web')).toEqual([]);
  expect(rig.api.get(`${PODS}/web`)?.status.observedGeneration).toBe(2);
  const told =
    '{"containers":[{"name":"app","resources":{"limits":{"memory":"256Mi"},"requests":{"cpu":"1","memory":"64Mi"}}}],"generation":2}';
  expect(events('web')).toEqual([
    `Normal ResizeStarted Pod resize started: ${told}`,
    `Normal ResizeCompleted Pod resize completed: ${told}`,
  ]);
});

test('a container whose resize policy requires it is restarted', async () => {
  const rig = await setup();
  const { clock } = rig;
  const { start, resize, container, conditions, events, actual } = podsOf(rig);
  const resizePolicy = [
    { resourceName: 'cpu', restartPolicy: 'NotRequired' },
    { resourceName: 'memory', restartPolicy: 'RestartContainer' },
  ];
  await start('web', containerOf({ requests: { cpu: '100m', memory: '64Mi' } }, { resizePolicy }));
  await resize('web', { requests: { cpu: '200m', memory: '64Mi' } });
  expect(container('web')).toMatchObject({ restartCount: 0, resources: { requests: { cpu: '200m' } } });
  await resize('web', { requests: { cpu: '200m', memory: '96Mi' } });
  // `sleep` as process 1 ignores SIGTERM.
  await clock.advance(10_000);
  expect(events('web').filter((text) => text.includes('Killing'))).toEqual([
    'Normal Killing Container app resize requires restart',
  ]);
  expect(container('web')).toMatchObject({
    restartCount: 1,
    resources: { requests: { cpu: '200m', memory: '96Mi' } },
    allocatedResources: { cpu: '200m', memory: '96Mi' },
  });
  expect(await actual('web')).toMatchObject({ cpuShares: 204n });
  expect(conditions('web')).toEqual([]);
});

test('a resize that does not fit waits until another pod is gone, even across a restart of the kubelet', async () => {
  const rig = await setup();
  const { clock, api } = rig;
  const { node, start, resize, container, conditions, events } = podsOf(rig);
  await start('web', containerOf({ requests: { cpu: '1' } }));
  await start('other', containerOf({ requests: { cpu: '1' } }));
  await resize('web', { requests: { cpu: '2500m' } });
  const message = "Node didn't have enough resource: cpu, requested: 2500, used: 1000, capacity: 3000";
  const pending = { type: 'PodResizePending', status: 'True', reason: 'Deferred', message };
  expect(conditions('web')).toMatchObject([{ ...pending, observedGeneration: 2 }]);
  expect(container('web')).toMatchObject({
    resources: { requests: { cpu: '1' } },
    allocatedResources: { cpu: '1' },
  });
  const told = `{"containers":[{"name":"app","resources":{"requests":{"cpu":"2500m"}}}],"generation":2,"error":"${message}"}`;
  expect(events('web')).toEqual([`Warning ResizeDeferred Pod resize OutOfcpu: ${told}`]);

  happen('KubeletRestart', node, 5000, { clock, log: () => {} });
  await clock.advance(60_000);
  expect(conditions('web')).toMatchObject([{ ...pending, observedGeneration: 2 }]);
  expect(container('web')).toMatchObject({ restartCount: 0, allocatedResources: { cpu: '1' } });

  const other = api.get(`${PODS}/other`);
  const deletionTimestamp = new Date(Number(clock.now() / 1_000_000n)).toISOString();
  const deleted = { ...other?.metadata, deletionTimestamp, deletionGracePeriodSeconds: 1 };
  api.put(PODS, { ...other, metadata: deleted });
  await clock.advance(10_000);
  expect(conditions('web')).toEqual([]);
  expect(container('web')).toMatchObject({
    restartCount: 0,
    resources: { requests: { cpu: '2500m' } },
    allocatedResources: { cpu: '2500m' },
  });
});

test('a pending resize is dropped when it is reverted', async () => {
  const { start, resize, conditions, container } = podsOf(await setup());
  await start('web', containerOf({ requests: { cpu: '1' } }));
  await resize('web', { requests: { cpu: '4' } });
  expect(conditions('web')).toMatchObject([{ type: 'PodResizePending', reason: 'Deferred' }]);
  await resize('web', { requests: { cpu: '1' } });
  expect(conditions('web')).toEqual([]);
  expect(container('web')).toMatchObject({ resources: { requests: { cpu: '1' } } });
});

test('a pod that shrinks frees resources for a waiting one', async () => {
  const { start, resize, conditions, container } = podsOf(await setup());
  await start('web', containerOf({ requests: { cpu: '1' } }));
  await start('other', containerOf({ requests: { cpu: '2' } }));
  await resize('web', { requests: { cpu: '2' } });
  expect(conditions('web')).toMatchObject([{ type: 'PodResizePending' }]);
  await resize('other', { requests: { cpu: '1' } });
  expect(conditions('web')).toEqual([]);
  expect(container('web')).toMatchObject({ resources: { requests: { cpu: '2' } } });
});

test("a resize that the runtime refuses is retried, and the pod's status shows it", async () => {
  const rig = await setup();
  const { clock, cluster } = rig;
  const { start, resize, container, conditions, events } = podsOf(rig);
  await start('web', containerOf({ requests: { cpu: '1' } }));
  const rule = {
    match: { method: 'UpdateContainerResources' },
    then: { error: { code: 'UNAVAILABLE' as const } },
  };
  const faults = createNodeFaults(cluster.nodes, clock);
  faults.add(readRules([{ name: 'refuse', ...rule }], 'test'), 'test');
  await resize('web', { requests: { cpu: '2' } });
  expect(conditions('web')).toMatchObject([
    {
      type: 'PodResizeInProgress',
      status: 'True',
      reason: 'Error',
      message: expect.stringContaining('rpc error: code = Unavailable'),
      observedGeneration: 2,
    },
  ]);
  expect(container('web')).toMatchObject({
    resources: { requests: { cpu: '1' } },
    allocatedResources: { cpu: '2' },
  });
  faults.remove('refuse');
  await clock.advance(60_000);
  expect(conditions('web')).toEqual([]);
  expect(container('web')).toMatchObject({ restartCount: 0, resources: { requests: { cpu: '2' } } });
  expect(events('web').map((text) => text.split(' ').slice(0, 2).join(' '))).toEqual([
    'Normal ResizeStarted',
    'Warning ResizeError',
    'Normal ResizeCompleted',
  ]);
});

test('memory is not limited to less than is in use', async () => {
  const rig = await setup();
  const { start, resize, container, conditions, events } = podsOf(rig);
  await start('web', containerOf({ limits: { memory: '64Mi' }, requests: { memory: '64Mi' } }));
  await resize('web', { limits: { memory: '1' }, requests: { memory: '1' } });
  expect(events('web').map((text) => text.split(' ')[1])).toEqual(['ResizeStarted', 'ResizeError']);
  // Its own sync does not show the error (kubelet 1.36): the next one does.
  await rig.clock.advance(15_000);
  expect(conditions('web')).toMatchObject([
    {
      type: 'PodResizeInProgress',
      reason: 'Error',
      message: expect.stringMatching(
        /^cannot decrease memory limits: \[attempting to set pod memory limit \(1\) below current usage \(\d+\), attempting to set container "app" memory limit \(1\) below current usage \(\d+\)\]$/,
      ),
    },
  ]);
  expect(container('web')).toMatchObject({ resources: { limits: { memory: '64Mi' } } });
});

interface UpdateRequest {
  readonly containerId?: string;
  readonly linux?: LinuxContainerResources;
  readonly resources?: LinuxContainerResources;
}

test("decreases come before increases, memory before CPU, and the pod's cgroup around its containers'", async () => {
  const { node, start, resize } = podsOf(await setup());
  const sized = (cpu: string, memory: string) => {
    const amounts = { cpu, memory };
    return { requests: amounts, limits: amounts };
  };
  await start(
    'web',
    containerOf(sized('200m', '64Mi'), { name: 'one' }),
    containerOf(sized('400m', '64Mi'), { name: 'two' }),
  );
  const calls: string[] = [];
  const names = new Map(
    node.runtime
      .snapshot()
      .sandboxes.flatMap(({ containers }) => containers.map(({ id, name }) => [id, name])),
  );
  const note = (entry: Entry) => {
    if (entry.kind !== 'call' || !/^Update/.test(entry.method)) return;
    const { containerId, linux, resources } = entry.message.value() as UpdateRequest;
    const { cpuQuota, cpuShares, memoryLimitInBytes } = linux ?? resources ?? {};
    calls.push([names.get(containerId ?? '') ?? 'pod', cpuQuota, cpuShares, memoryLimitInBytes].join(' '));
  };
  const end = node.tape.listen({ only: ['call'], entry: note });
  await resize('web', sized('500m', '96Mi'), sized('300m', '64Mi'));
  end();
  expect(calls).toEqual([
    'pod 60000 614 167772160',
    'one 20000 204 100663296',
    'pod 80000 614 167772160',
    'pod 80000 819 167772160',
    'two 30000 307 67108864',
    'one 50000 512 100663296',
  ]);
});

test('a static pod that keeps its uid is resized; any other is a new pod', async () => {
  const path = directory();
  const write = (cpu: string) =>
    writeFileSync(
      join(path, 'proxy.yaml'),
      `
apiVersion: v1
kind: Pod
metadata: {name: proxy, uid: same}
spec:
  terminationGracePeriodSeconds: 1
  containers:
    - {name: app, image: 'busybox:1', command: [sh, -c, 'sleep 100000'], resources: {requests: {cpu: ${cpu}}}}
`,
    );
  write('100m');
  const rig = await setup({ staticPodPath: path });
  await rig.clock.advance(20_000);
  const { container } = podsOf(rig);
  const before = container('proxy-mock-0');
  write('200m');
  await rig.clock.advance(30_000);
  expect(container('proxy-mock-0')).toEqual({
    ...before,
    resources: { requests: { cpu: '200m' } },
    allocatedResources: { cpu: '200m' },
  });
});
