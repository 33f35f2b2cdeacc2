import { beforeEach, describe, expect, it } from 'vitest';
import { createEngineRig, type EngineRig, sandboxConfig } from '../../../test/support/runtime/engine-rig.js';
import { ContainerState } from '../../cri/gen/runtime/v1/api.js';
import type { Runtime } from './runtime.js';

let runtime: Runtime;
let cri: EngineRig['cri'];
let podSandboxId: string;
let containerId: string;

beforeEach(async () => {
  const rig = await createEngineRig();
  ({ runtime, cri } = rig);
  podSandboxId = await rig.pod();
  containerId = await rig.container(podSandboxId);
  await cri.startContainer({ containerId });
});

describe('what surrounds the runtime', () => {
  it('finds pod and container by id prefix, and takes a snapshot', () => {
    expect(runtime.find(containerId.slice(0, 9))).toMatchObject({
      pod: { name: 'web', namespace: 'default', labels: { app: 'web' } },
      container: { name: 'app', attempt: 0 },
    });
    expect(runtime.find(podSandboxId)).not.toHaveProperty('container');
    expect(runtime.find('nothing')).toBeUndefined();
    expect(JSON.parse(JSON.stringify(runtime.snapshot()))).toMatchObject({
      counts: { containers: { RUNNING: 1 }, sandboxes: { READY: 1 } },
      sandboxes: [{ name: 'web', containers: [{ name: 'app', state: 'RUNNING' }] }],
    });
  });

  it('can lose a status, which a stop settles', async () => {
    runtime.loseContainerStatus(containerId);
    const status = async () => (await cri.containerStatus({ containerId })).status;
    expect(await status()).toMatchObject({ state: ContainerState.CONTAINER_UNKNOWN, exitCode: 255 });
    await cri.stopContainer({ containerId });
    expect(await status()).toMatchObject({ state: ContainerState.CONTAINER_EXITED });
  });

  it('can lose everything, and continues', async () => {
    await runtime.loseState();
    expect((await cri.listPodSandbox()).items).toEqual([]);
    expect(runtime.counts).toEqual({
      sandboxes: { READY: 0, NOTREADY: 0 },
      containers: { CREATED: 0, RUNNING: 0, EXITED: 0, UNKNOWN: 0 },
    });
    await cri.runPodSandbox({ config: sandboxConfig() });
  });

  it('can pretend that a condition is false', async () => {
    const condition = { type: 'RuntimeReady', status: false, reason: 'Fault', message: 'injected' } as const;
    runtime.overrideCondition('RuntimeReady', condition);
    expect((await cri.status()).status?.conditions[0]).toEqual(condition);
    runtime.overrideCondition('RuntimeReady', undefined);
    expect((await cri.status()).status?.conditions[0]?.status).toBe(true);
  });
});
