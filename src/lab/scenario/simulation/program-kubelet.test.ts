import { expect, test } from 'vitest';
import { createMemoryBackend } from '../../../../adapters/memory/memory-backend.js';
import { createVirtualClock } from '../../../base/clock/virtual-clock.js';
import { ContainerConfig } from '../../../cri/gen/runtime/v1/api.js';
import type { Backend, BackendHost } from '../../../runtime/engine/backend.js';
import { openProgram } from './program-kubelet.js';

test('a backend finds the files of a kubelet program in its directory, and nothing of this machine', async () => {
  const program = await openProgram('/no/kubelet', 1);
  const opened: BackendHost[] = [];
  const memory = createMemoryBackend({ clock: createVirtualClock() });
  const open: Backend['open'] = async (host) => {
    opened.push(host);
    return memory.open(host);
  };
  const hostPath = '/var/lib/kubelet/pods/u1/volumes/v';
  const host: Pick<BackendHost, 'containerConfig'> = {
    containerConfig: () => ContainerConfig.fromPartial({ mounts: [{ containerPath: '/v', hostPath }] }),
  };
  await program.within({ ...memory, open }).open(host as BackendHost);
  expect(opened[0]?.containerConfig('c').mounts[0]?.hostPath).toMatch(
    /\/mockri-kubelet-[^/]+\/var\/lib\/kubelet\/pods\/u1\/volumes\/v$/,
  );
  program.close();
});
