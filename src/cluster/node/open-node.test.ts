import { expect, test } from 'vitest';
import { startNode } from '../../../test/support/cluster/node-rig.js';
import { parseManifest } from '../../kubelet/pods/manifest.js';
import { runtimeProfiles } from '../../runtime/profiles/index.js';
import type { RuntimeProfile } from '../../runtime/profiles/profile.js';

const MANIFEST = `
apiVersion: v1
kind: Pod
metadata: {name: web, uid: u1}
spec:
  containers:
    - {name: app, image: nginx:1}
`;

const setup = (profile?: RuntimeProfile) =>
  startNode((now) => parseManifest(MANIFEST, 'pod.yaml', { nodeName: 'mock-1', now }).pods, {}, profile);

test('a node runs pods, and its runtime keeps them while the kubelet restarts', async () => {
  const { clock, node, events, begin, close } = await setup();
  const running = () => node.pods().map(({ status }) => status?.phase);
  expect(running()).toEqual(['Running']);
  const before = node.runtime.snapshot().sandboxes.map(({ id }) => id);
  node.stopKubelet();
  expect(node.up).toBe(false);
  expect(running()).toEqual([]);
  await begin();
  expect(running()).toEqual(['Running']);
  expect(node.runtime.snapshot().sandboxes.map(({ id }) => id)).toEqual(before);
  expect(events.filter(({ reason }) => reason === 'Started')).toHaveLength(1);
  await clock.advance(0);
  await close();
});

test('a node takes the times of its profile', async () => {
  const timeOf = async (profile: RuntimeProfile | undefined): Promise<number> => {
    const { node, close } = await setup(profile);
    const [{ status } = { status: undefined }] = node.pods();
    const state = status?.containerStatuses[0]?.state;
    await close();
    return state?.kind === 'running' ? Number(state.startedAt - (status?.startTime ?? 0n)) : Number.NaN;
  };
  const [without, own] = [
    await timeOf(runtimeProfiles.strict),
    await timeOf(runtimeProfiles['containerd-2.4']),
  ];
  expect(own).toBeGreaterThan(without);
});

test('a URL of exec leads to its session once, without a socket', async () => {
  const { node, clock, close } = await setup();
  const [container] = node.runtime.running();
  const asked = node.cri.exec({
    containerId: container?.container.id ?? '',
    cmd: ['ls'],
    tty: false,
    stdin: false,
    stdout: true,
    stderr: true,
  });
  await clock.settle();
  const { url } = await asked;
  expect(node.streams.take(url)).toMatchObject({ kind: 'exec', session: { command: ['ls'] } });
  expect(node.streams.take(url)).toBeUndefined();
  await close();
});
