import { expect, it } from 'vitest';
import { callDirectly } from '../../../../test/property/cri.js';
import { createFakeBackend } from '../../../../test/property/fake-backend.js';
import { createEngineRig, image, kind, sandboxConfig } from '../../../../test/support/runtime/engine-rig.js';
import {
  ContainerConfig,
  ContainerState,
  PodSandboxConfig,
  PodSandboxState,
  Signal,
} from '../../../cri/gen/runtime/v1/api.js';
import type { Inventory } from '../backend.js';
import { createRuntime } from '../runtime.js';

it('takes over what the backend already had (INV-53)', async () => {
  const { clock, cri } = await createEngineRig();
  const { image: found } = await cri.imageStatus({ image });
  if (found === undefined) throw new Error('no image');
  const config = PodSandboxConfig.fromPartial(sandboxConfig());
  const inventory: Inventory = {
    sandboxes: [
      {
        spec: { id: 'a'.repeat(64), config, runtimeHandler: '', createdAt: 10n },
        runtime: { ips: ['10.0.0.9'] },
        ready: false,
      },
    ],
    containers: [
      {
        spec: {
          id: 'b'.repeat(64),
          sandboxId: 'a'.repeat(64),
          config: ContainerConfig.fromPartial({ metadata: { name: 'app', attempt: 2 }, image }),
          sandboxConfig: config,
          image: found,
          logPath: undefined,
          createdAt: 20n,
        },
        runtime: { user: undefined, resources: undefined, stopSignal: Signal.SIGNAL_SIGTERM },
        state: 'exited',
        startedAt: 30n,
        exit: { containerId: 'b'.repeat(64), exitCode: 0, finishedAt: 40n },
      },
    ],
  };
  const again = await createRuntime({ backend: createFakeBackend(clock, inventory), clock });
  const other = callDirectly(again.service);
  expect((await other.podSandboxStatus({ podSandboxId: 'a' })).status).toMatchObject({
    state: PodSandboxState.SANDBOX_NOTREADY,
    createdAt: 10n,
  });
  expect((await other.containerStatus({ containerId: 'b' })).status).toMatchObject({
    state: ContainerState.CONTAINER_EXITED,
    reason: 'Completed',
    finishedAt: 40n,
  });
  await expect(other.runPodSandbox({ config: sandboxConfig() })).rejects.toEqual(kind('conflict'));
});
