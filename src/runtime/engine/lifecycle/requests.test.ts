import { describe, expect, it } from 'vitest';
import { createEngineRig, image, kind, sandboxConfig } from '../../../../test/support/runtime/engine-rig.js';
import { ContainerState } from '../../../cri/gen/runtime/v1/api.js';

describe('refused requests', () => {
  it('name the present state and the allowed ones', async () => {
    const { cri, pod, container } = await createEngineRig();
    const containerId = await container(await pod());
    await cri.startContainer({ containerId });
    await expect(cri.startContainer({ containerId })).rejects.toThrow(
      `container "${containerId}" is in CONTAINER_RUNNING state: StartContainer needs CONTAINER_CREATED`,
    );
    await cri.stopContainer({ containerId, timeout: 0n });
    await expect(cri.execSync({ containerId, cmd: ['true'] })).rejects.toEqual(kind('wrong-state'));
    await expect(cri.startContainer({ containerId })).rejects.toEqual(kind('wrong-state'));
  });

  it('refuses forced removal with strict transitions', async () => {
    const { cri, pod, container, statusOf } = await createEngineRig({ transitions: 'strict' });
    const podSandboxId = await pod();
    const containerId = await container(podSandboxId);
    await expect(cri.removeContainer({ containerId })).rejects.toThrow('needs CONTAINER_EXITED');
    await cri.startContainer({ containerId });
    await expect(cri.removeContainer({ containerId })).rejects.toEqual(kind('wrong-state'));
    await expect(cri.removePodSandbox({ podSandboxId })).rejects.toThrow('needs SANDBOX_NOTREADY');
    expect((await statusOf(containerId))?.state).toBe(ContainerState.CONTAINER_RUNNING);
  });

  it('answers unknown, empty and ambiguous ids', async () => {
    const { cri, pod } = await createEngineRig({ newId: sequence() });
    const uuid = '0d5e0d64-9d59-4f0c-8a55-6d3d8d8f8f2a';
    await cri.stopContainer({ containerId: uuid });
    await cri.removeContainer({ containerId: uuid });
    await cri.stopPodSandbox({ podSandboxId: uuid });
    await cri.removePodSandbox({ podSandboxId: uuid });
    await expect(cri.containerStatus({ containerId: uuid })).rejects.toEqual(kind('not-found'));
    await expect(cri.stopContainer({})).rejects.toEqual(kind('invalid'));
    await expect(cri.podSandboxStatus({})).rejects.toEqual(kind('invalid'));
    const a = await pod('a');
    await pod('b');
    await expect(cri.removePodSandbox({ podSandboxId: a.slice(0, 10) })).rejects.toThrow('ambiguous');
    expect((await cri.listPodSandbox()).items).toHaveLength(2);
    expect((await cri.listPodSandbox({ filter: { id: a.slice(0, 10) } })).items).toEqual([]);
    expect((await cri.podSandboxStatus({ podSandboxId: a.slice(0, 64) })).status?.id).toBe(a);
  });
});

describe('names', () => {
  it('lets one of many identical requests win', async () => {
    const { backend, clock, pod } = await createEngineRig();
    backend.delays.runSandbox = 5;
    const runs = Promise.allSettled([pod(), pod(), pod()]);
    await clock.advance(10);
    const outcomes = await runs;
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toEqual(kind('conflict'));
  });

  it('frees a name after removal and after failure', async () => {
    const { backend, cri, pod, container } = await createEngineRig();
    backend.failures.runSandbox = new Error('no network');
    await expect(pod()).rejects.toThrow('no network');
    backend.failures = {};
    const podSandboxId = await pod();
    await expect(pod()).rejects.toEqual(kind('conflict'));
    backend.failures.createContainer = new Error('no disk');
    await expect(container(podSandboxId)).rejects.toThrow('no disk');
    backend.failures = {};
    const containerId = await container(podSandboxId);
    await expect(container(podSandboxId)).rejects.toEqual(kind('conflict'));
    await cri.removeContainer({ containerId });
    expect(await container(podSandboxId)).not.toBe(containerId);
  });
});

describe('cancellation', () => {
  it('undoes a creation whose client has gone, so that a retry succeeds (INV-17)', async () => {
    const { backend, cri, pod } = await createEngineRig();
    const podSandboxId = await pod();
    const controller = new AbortController();
    backend.createContainer = async (spec) => {
      controller.abort();
      backend.calls.push(`createContainer ${spec.id}`);
      return { user: undefined, resources: undefined, stopSignal: 23 };
    };
    const config = { metadata: { name: 'app' }, image };
    const request = { podSandboxId, config, sandboxConfig: sandboxConfig() };
    await expect(cri.createContainer(request, { signal: controller.signal })).rejects.toEqual(
      kind('cancelled'),
    );
    expect(backend.calls.at(-1)).toMatch(/^removeContainer/);
    await cri.createContainer(request);
  });

  it('lets a waiting call leave the queue without effect', async () => {
    const { backend, clock, cri, pod, container, statusOf } = await createEngineRig();
    const podSandboxId = await pod();
    const containerId = await container(podSandboxId);
    backend.delays.startContainer = 1000;
    const starting = clock.run(() => cri.startContainer({ containerId }));
    const controller = new AbortController();
    const removing = cri.removePodSandbox({ podSandboxId }, { signal: controller.signal });
    controller.abort();
    await expect(removing).rejects.toEqual(kind('cancelled'));
    await clock.advance(1000);
    await starting;
    expect((await statusOf(containerId))?.state).toBe(ContainerState.CONTAINER_RUNNING);
  });
});

describe('with overflow block', () => {
  it('makes an RPC wait for a subscriber that is too slow, but not for one that leaves (INV-35)', async () => {
    const { clock, runtime, pod } = await createEngineRig({ events: { overflow: 'block', queueSize: 1 } });
    await pod('a');
    const leaving = new AbortController();
    runtime.service.getContainerEvents({}, { signal: leaving.signal, deadline: undefined });
    let answered = false;
    const run = clock
      .run(() => pod('b'))
      .then(() => {
        answered = true;
      });
    await clock.settle();
    expect(answered).toBe(false);
    leaving.abort();
    await run;
  });
});

/** Ids with a long common beginning. */
function sequence(): () => string {
  let count = 0;
  return () => (count++).toString(16).padStart(64, '0');
}
