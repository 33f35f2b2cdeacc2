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
