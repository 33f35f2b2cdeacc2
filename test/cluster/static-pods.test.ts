import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { clusterRig, PODS } from '../support/cluster/cluster-rig.js';
import { useTemporaryDirectories } from '../support/temporary.js';

const { setup, close } = clusterRig();
afterEach(close);
const directory = useTemporaryDirectories();

const MIRROR = 'kubernetes.io/config.mirror';
const HASH = 'kubernetes.io/config.hash';
const manifest = (command: string, more = '') => `
apiVersion: v1
kind: Pod
metadata: {name: proxy, labels: {app: proxy}}
spec:
  priorityClassName: system-node-critical
  terminationGracePeriodSeconds: 5${more}
  containers:
    - {name: app, image: 'busybox:1', command: [sh, -c, '${command}'], envFrom: []}
`;

type Shown = ReturnType<Awaited<ReturnType<typeof setup>>['api']['get']>;
/** Phase, state and readiness of a pod with one container. */
const shown = (pod: Shown): string => {
  const [container] = pod?.status?.containerStatuses ?? [];
  return pod === undefined
    ? 'none'
    : `${pod.status?.phase} ${Object.keys(container.state)[0]} ${container.ready}`;
};

/** A node with one static pod. */
async function withStaticPod(command = 'sleep 100000') {
  const path = directory();
  const put = (text: string) => writeFileSync(join(path, 'proxy.yaml'), text);
  put(manifest(command));
  const rig = await setup({ staticPodPath: path });
  await rig.clock.advance(20_000);
  const mirror = () => rig.api.get(`${PODS}/proxy-mock-0`);
  const remove = () => rmSync(join(path, 'proxy.yaml'));
  return { ...rig, putManifest: put, mirror, remove };
}

test('a static pod has a mirror pod with its annotations, its owner and its status', async () => {
  const { mirror, api, log } = await withStaticPod();
  const { metadata, spec, status } = mirror() ?? {};
  expect(metadata).toMatchObject({
    labels: { app: 'proxy' },
    annotations: { 'kubernetes.io/config.source': 'file', [MIRROR]: metadata?.annotations[HASH] },
    ownerReferences: [
      {
        apiVersion: 'v1',
        kind: 'Node',
        name: 'mock-0',
        uid: api.get('/api/v1/nodes/mock-0')?.metadata.uid,
        controller: true,
      },
    ],
  });
  expect(metadata?.annotations[MIRROR]).toMatch(/^[0-9a-f]{32}$/);
  expect(spec).toMatchObject({
    nodeName: 'mock-0',
    priorityClassName: 'system-node-critical',
    tolerations: [{ operator: 'Exists', effect: 'NoExecute' }],
  });
  expect(status).toMatchObject({
    phase: 'Running',
    containerStatuses: [{ name: 'app', ready: true, restartCount: 0 }],
  });
  expect(log.filter((line) => !line.includes('no effect here'))).toEqual([]);
});

test('a mirror pod that is deleted comes back, and its static pod keeps running', async () => {
  const { clock, mirror, api } = await withStaticPod();
  const before = mirror();
  api.remove(`${PODS}/proxy-mock-0`);
  await clock.advance(5000);
  const after = mirror();
  expect(after?.metadata.uid).not.toBe(before?.metadata.uid);
  expect(after?.status.containerStatuses).toEqual(before?.status.containerStatuses);
  // With grace, as kubectl deletes: the node removes the object, not the pod.
  const deletionTimestamp = '2026-01-01T00:00:00Z';
  api.put(PODS, { ...after, metadata: { ...after?.metadata, deletionTimestamp } });
  await clock.advance(10_000);
  expect(mirror()?.metadata.deletionTimestamp).toBeUndefined();
  expect(mirror()?.metadata.uid).not.toBe(after?.metadata.uid);
  expect(mirror()?.status.containerStatuses).toEqual(before?.status.containerStatuses);
});

test('a changed manifest replaces pod and mirror pod, one after the other', async () => {
  const { clock, mirror, putManifest, cluster } = await withStaticPod();
  const before = mirror();
  const seen = new Set<string>();
  putManifest(manifest('echo changed; sleep 100000'));
  for (let step = 0; step < 120; step++) {
    await clock.advance(500);
    if (mirror()?.metadata.uid === before?.metadata.uid) seen.add(shown(mirror()));
  }
  // The name belongs to the new pod already, so that the end of the old one is not shown.
  expect([...seen]).toEqual(['Running running true']);
  const after = mirror();
  expect(after?.metadata.annotations[MIRROR]).not.toBe(before?.metadata.annotations[MIRROR]);
  expect(after?.spec.containers[0].command[2]).toContain('changed');
  expect(after?.status).toMatchObject({ phase: 'Running', containerStatuses: [{ restartCount: 0 }] });
  const running = [...(cluster.nodes.get('mock-0')?.runtime.running() ?? [])];
  expect(running).toHaveLength(1);
});

/** What the mirror pod shows when the manifest goes, and how many containers run meanwhile. */
async function endOf({ clock, mirror, remove, cluster }: Awaited<ReturnType<typeof withStaticPod>>) {
  const seen = new Set<string>();
  // Not at the moment of a housekeeping, whenever the removal is noticed.
  await clock.advance(333);
  remove();
  for (let step = 0; step < 120; step++) {
    await clock.advance(500);
    const running = [...(cluster.nodes.get('mock-0')?.runtime.running() ?? [])];
    seen.add(`${shown(mirror())} ${running.length}`);
  }
  return [...seen];
}

test('a removed manifest stops the pod, whose mirror pod is removed when the pod has ended', async () => {
  // Housekeeping forgets its status while it stops, as in the real kubelet.
  const seen = await endOf(await withStaticPod());
  expect(seen.filter((each) => !each.startsWith('Running running true'))).toEqual(['none 0']);
});

test('the mirror pod shows the end of a static pod that stops before housekeeping', async () => {
  const seen = await endOf(await withStaticPod('trap "exit 0" TERM; sleep 100000 & wait'));
  expect(seen.slice(-2)).toEqual(['Running terminated false 0', 'none 0']);
});

test('a mirror pod of an earlier process without a manifest is removed', async () => {
  const { api, clock, put } = await setup();
  put('old-mock-0');
  const pod = api.get(`${PODS}/old-mock-0`);
  api.put(PODS, {
    ...pod,
    metadata: { ...pod?.metadata, name: 'orphan-mock-0', uid: 'x', annotations: { [MIRROR]: 'h' } },
  });
  await clock.advance(5000);
  expect(api.get(`${PODS}/orphan-mock-0`)).toBeUndefined();
  expect(api.get(`${PODS}/old-mock-0`)).toBeDefined();
});

test('a static pod that may end stays ended, and its mirror pod shows it', async () => {
  const path = directory();
  writeFileSync(join(path, 'once.yaml'), manifest('exit 3', '\n  restartPolicy: Never'));
  const { clock, api } = await setup({ staticPodPath: path });
  await clock.advance(60_000);
  expect(api.get(`${PODS}/proxy-mock-0`)?.status).toMatchObject({
    phase: 'Failed',
    containerStatuses: [{ state: { terminated: { exitCode: 3 } } }],
  });
});

test('a restarted kubelet adopts its static pod with a new start time, because it has not read the API yet', async () => {
  const rig = await withStaticPod();
  const { clock, mirror, cluster } = rig;
  const before = mirror();
  const node = cluster.nodes.get('mock-0');
  node?.stopKubelet();
  await clock.advance(30_000);
  void clock.run(async () => node?.startKubelet());
  await clock.advance(20_000);
  const after = mirror();
  expect(after?.metadata.uid).toBe(before?.metadata.uid);
  expect(after?.status.containerStatuses).toEqual(before?.status.containerStatuses);
  expect(after?.status.startTime > before?.status.startTime).toBe(true);
  // This kubelet has sent one status of it: a later one counts as newer, although housekeeping has forgotten that one.
  expect(await endOf(rig)).toContain('Running terminated false 0');
});
