import { afterEach, expect, it } from 'vitest';
import { createTestNode, type TestNode } from '../../../test/support/runtime/memory-node.js';

let node: TestNode;

afterEach(() => node.runtime.close());

/** A container with 15 MiB of memory that runs a script. */
const limited = async (script: string, unified: Record<string, string> = {}) => {
  node = await createTestNode();
  const linux = { resources: { memoryLimitInBytes: 15n << 20n, unified } };
  return node.container({ command: ['sh', '-c', script], linux });
};

const GREEDY = 'dd if=/dev/zero of=/dev/null bs=20M';

it('ends the container when its main process is killed for lack of memory', async () => {
  const id = await limited(`exec ${GREEDY}`);
  await node.clock.advance(1000);
  expect(await node.state(id)).toBe('EXITED 137 OOMKilled');
});

it('kills another process alone, and says so once the container has ended, whatever by', async () => {
  const id = await limited(
    `${GREEDY}; echo $?; grep oom_kill /sys/fs/cgroup/memory.events; sleep 10; exit 3`,
  );
  await node.clock.advance(1000);
  expect(await node.state(id)).toBe('RUNNING');
  const { podMetrics } = await node.cri.listPodSandboxMetrics({});
  const oomEvents = podMetrics?.[0]?.containerMetrics?.[0]?.metrics?.find(
    ({ name }) => name === 'container_oom_events_total',
  );
  expect(oomEvents?.value?.value).toBe(1n);
  await node.clock.advance(10_000);
  expect(await node.state(id)).toBe('EXITED 3 OOMKilled');
});

it('a limit below what it uses ends the container, as the kernel does when memory.max is set', async () => {
  const id = await limited('sleep 1000');
  await node.clock.advance(1000);
  const update = (bytes: bigint) =>
    node.call(() =>
      node.cri.updateContainerResources({ containerId: id, linux: { memoryLimitInBytes: bytes } }),
    );
  await update(12n << 20n);
  expect(await node.state(id)).toBe('RUNNING');
  await update(4096n);
  await node.clock.advance(1000);
  expect(await node.state(id)).toBe('EXITED 137 OOMKilled');
});

it('shows how likely the kernel is to choose a process: that of the sandbox, pid 1 of the pod, comes last', async () => {
  node = await createTestNode();
  const linux = { resources: { oomScoreAdj: -997n } };
  const id = await node.container({ command: ['sleep', '1000'], linux });
  const cmd = ['cat', '/proc/1/oom_score_adj', '/proc/self/oom_score_adj'];
  const { stdout } = await node.call(() => node.cri.execSync({ containerId: id, cmd }));
  expect(Buffer.from(stdout).toString()).toBe('-998\n-997\n');
});

it('kills an exec that asks for too much', async () => {
  const id = await limited('sleep 1000');
  const { exitCode } = await node.call(() => node.cri.execSync({ containerId: id, cmd: GREEDY.split(' ') }));
  expect(exitCode).toBe(137);
  expect(await node.state(id)).toBe('RUNNING');
});

it('kills all of them where memory.oom.group says so, as the kubelet does', async () => {
  const id = await limited(`${GREEDY}; sleep 10`, { 'memory.oom.group': '1' });
  await node.clock.advance(1000);
  expect(await node.state(id)).toBe('EXITED 137 OOMKilled');
});

it('knows nothing of want of memory without a limit', async () => {
  node = await createTestNode();
  const id = await node.container({ command: ['sh', '-c', 'dd if=/dev/zero of=/dev/null bs=20M count=1'] });
  await node.clock.advance(1000);
  expect(await node.state(id)).toBe('EXITED 0 Completed');
});
