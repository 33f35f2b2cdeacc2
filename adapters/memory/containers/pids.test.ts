import { afterEach, expect, it } from 'vitest';
import { createTestNode, type TestNode } from '../../../test/support/runtime/memory-node.js';

let node: TestNode;

afterEach(() => node.runtime.close());

/** What a program prints to stderr that is executed in a container which may have so many processes, and has one. */
async function complaint(max: string, ...cmd: readonly string[]) {
  node = await createTestNode();
  const linux = { resources: { unified: { 'pids.max': max } } };
  const containerId = await node.container({ command: ['sleep', '1000'], linux });
  const { exitCode, stderr } = await node.call(() => node.cri.execSync({ containerId, cmd: [...cmd] }));
  return { exitCode, stderr: Buffer.from(stderr ?? '').toString() };
}

it('a shell cannot fork beyond pids.max, and says so as busybox does', async () => {
  expect(await complaint('2', 'sh', '-c', 'true & wait; echo not reached >&2')).toEqual({
    exitCode: 2,
    stderr: "sh: can't fork: Resource temporarily unavailable\n",
  });
});

it('nor can another program', async () => {
  expect(await complaint('2', 'timeout', '1', 'true')).toEqual({
    exitCode: 1,
    stderr: "timeout: can't fork: Resource temporarily unavailable\n",
  });
});

it.each(['3', 'max'])('with pids.max %s one more is allowed', async (max) => {
  expect(await complaint(max, 'sh', '-c', 'true & wait')).toEqual({ exitCode: 0, stderr: '' });
});

it('a container has at most 1,024 processes', async () => {
  const script = 'trap "echo \\$n >&2" EXIT; while :; do sleep 900 & n=$((n+1)); done';
  const { stderr } = await complaint('max', 'sh', '-c', script);
  // The container's own and the shell are there too.
  expect(stderr).toBe(`sh: can't fork: Resource temporarily unavailable\n${1024 - 2}\n`);
});

it('shows pids that no process of a real machine has: a tool that opens /proc/PID finds nothing', async () => {
  node = await createTestNode();
  const containerId = await node.container({ command: ['sleep', '1000'] });
  const { info } = await node.call(() => node.cri.containerStatus({ containerId, verbose: true }));
  const { items } = await node.call(() => node.cri.listPodSandbox({}));
  const podSandboxId = items[0]?.id ?? '';
  const pod = await node.call(() => node.cri.podSandboxStatus({ podSandboxId, verbose: true }));
  for (const { info: text = '{}' } of [info, pod.info])
    expect((JSON.parse(text) as { pid: number }).pid).toBeGreaterThan(4_194_304);
});
