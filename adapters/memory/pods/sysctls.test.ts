import { expect, test } from 'vitest';
import { createTestNode } from '../../../test/support/runtime/memory-node.js';

test.each(['kernel.shm_rmid_forced', 'kernel/shm_rmid_forced'])(
  'the sysctl %s of a pod replaces the default',
  async (name) => {
    const node = await createTestNode({ pod: { linux: { sysctls: { [name]: '1' } } } });
    const containerId = await node.container({ command: ['sleep', '1000000'] });
    const cmd = ['sysctl', 'kernel/shm_rmid_forced'];
    const { stdout } = await node.call(() => node.cri.execSync({ containerId, cmd }));
    expect(String(stdout)).toBe('kernel.shm_rmid_forced = 1\n');
    await node.runtime.close();
  },
);

test('a privileged container sets sysctls of its pod, and of its node for all pods', async () => {
  const privileged = { linux: { securityContext: { privileged: true } } };
  const node = await createTestNode({ pod: privileged });
  const one = await node.container({ command: ['sleep', '1000000'], ...privileged });
  const run = async (containerId: string, ...cmd: string[]) => {
    const { stdout, exitCode } = await node.call(() => node.cri.execSync({ containerId, cmd }));
    return `${exitCode} ${stdout}`;
  };
  expect(await run(one, 'sysctl', '-w', 'vm.max_map_count=262144')).toBe('0 vm.max_map_count = 262144\n');
  expect(await run(one, 'sysctl', '-q', '-w', 'net.core.rmem_max=1')).toBe('0 ');
  const sandboxConfig = { metadata: { name: 'other', uid: 'o', namespace: 'default', attempt: 0 } };
  const { podSandboxId } = await node.call(() => node.cri.runPodSandbox({ config: sandboxConfig }));
  const { containerId: two } = await node.call(() =>
    node.cri.createContainer({
      podSandboxId,
      config: {
        metadata: { name: 'c', attempt: 0 },
        image: { image: 'busybox:1' },
        command: ['sleep', '1000000'],
      },
      sandboxConfig,
    }),
  );
  await node.call(() => node.cri.startContainer({ containerId: two }));
  expect(await run(two, 'sysctl', '-n', 'vm.max_map_count')).toBe('0 262144\n');
  expect(await run(two, 'sysctl', 'net.core.rmem_max')).toMatch(/^1 /);
  expect(await run(two, 'sysctl', '-w', 'vm.max_map_count=1')).toMatch(/^1 /);
  await node.runtime.close();
});
