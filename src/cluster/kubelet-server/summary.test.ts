import { expect, test } from 'vitest';
import { startNode } from '../../../test/support/cluster/node-rig.js';
import type { Pod } from '../../kubelet/kubernetes/pod.js';
import { podFromApi } from '../objects/pod-from-api.js';
import { nodeUse } from './summary.js';

const pod = (name: string): Pod =>
  podFromApi({
    metadata: { name, namespace: 'default', uid: name, resourceVersion: '1', generation: 1 },
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: [{ name: 'app', image: 'busybox:1', command: ['sleep', '1000'] }],
    },
  });

/** What a node uses now, 10 s after it was asked for something. */
async function measured({ clock, node }: Awaited<ReturnType<typeof startNode>>) {
  const asked = nodeUse(node, clock.now());
  await clock.advance(10_000);
  return asked;
}

test('a node without pods uses something, as a machine does, and metrics-server drops one that uses nothing', async () => {
  const rig = await startNode(() => []);
  const first = await measured(rig);
  const second = await measured(rig);
  expect(first.cpuNanos).toBeGreaterThan(0n);
  expect(first.workingSet).toBeGreaterThan(0n);
  expect(second.cpuNanos - first.cpuNanos).toBe(
    (first.cpuNanoCores * (second.time - first.time)) / 1_000_000_000n,
  );
  await rig.close();
});

test('what a node has used never falls, also when pods end: metrics-server refuses that', async () => {
  const rig = await startNode(() => [pod('a'), pod('b')]);
  const before = await measured(rig);
  expect(before.pods).toHaveLength(2);
  const own = before.pods.reduce((sum, { cpuNanos }) => sum + cpuNanos, 0n);
  expect(before.cpuNanos).toBeGreaterThan(own);
  rig.deliver([]);
  await rig.clock.advance(30_000);
  const after = await measured(rig);
  expect(after.pods).toHaveLength(0);
  expect(after.cpuNanos).toBeGreaterThan(before.cpuNanos);
  expect(after.workingSet).toBeLessThan(before.workingSet);
  await rig.close();
});
