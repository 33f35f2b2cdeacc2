import { describe, expect, it } from 'vitest';
import { createEngineRig, kind } from '../../../../test/support/runtime/engine-rig.js';
import { ContainerState, PodSandboxState } from '../../../cri/gen/runtime/v1/api.js';

describe('the life of a pod', () => {
  it('goes from run to remove, with an event for each step', async () => {
    const { clock, cri, events, pod, container, statusOf, told } = await createEngineRig();
    const podSandboxId = await pod();
    const containerId = await container(podSandboxId);
    expect(await statusOf(containerId)).toMatchObject({
      state: ContainerState.CONTAINER_CREATED,
      startedAt: 0n,
      finishedAt: 0n,
      reason: '',
      logPath: '/var/log/pods/web/app/0.log',
    });
    await cri.startContainer({ containerId });
    expect(await statusOf(containerId)).toMatchObject({
      state: ContainerState.CONTAINER_RUNNING,
      finishedAt: 0n,
    });
    await cri.stopContainer({ containerId, timeout: 10n });
    expect(await statusOf(containerId)).toMatchObject({
      state: ContainerState.CONTAINER_EXITED,
      exitCode: 143,
      reason: 'Error',
    });
    await cri.removeContainer({ containerId });
    await cri.stopPodSandbox({ podSandboxId });
    await cri.removePodSandbox({ podSandboxId });
    await clock.settle();
    expect(told({ [podSandboxId]: 'pod', [containerId]: 'app' })).toEqual([
      'CREATED pod',
      'STARTED pod',
      'CREATED app',
      'STARTED app',
      'STOPPED app',
      'DELETED app',
      'STOPPED pod',
      'DELETED pod',
    ]);
    const times = events.map(({ createdAt }) => createdAt);
    expect(times).toEqual([...new Set(times)].sort());
  });

  it('is removed at once, containers first (INV-34)', async () => {
    const { clock, cri, events, pod, container, told } = await createEngineRig();
    const podSandboxId = await pod();
    const a = await container(podSandboxId, ['sleep', '9'], 'a');
    const b = await container(podSandboxId, ['sleep', '9'], 'b');
    for (const containerId of [a, b]) await cri.startContainer({ containerId });
    await clock.settle();
    events.length = 0;
    await cri.removePodSandbox({ podSandboxId });
    await clock.settle();
    expect(told({ [podSandboxId]: 'pod', [a]: 'a', [b]: 'b' })).toEqual([
      'STOPPED a',
      'STOPPED b',
      'STOPPED pod',
      'DELETED a',
      'DELETED b',
      'DELETED pod',
    ]);
    expect(events[2]?.podSandboxStatus?.state).toBe(PodSandboxState.SANDBOX_NOTREADY);
    expect(events[3]?.containersStatuses.map(({ id }) => id)).toEqual([b]);
    expect((await cri.listContainers()).containers).toEqual([]);
  });

  it('tells STARTED before STOPPED of a process that ends at once (INV-29)', async () => {
    const { clock, cri, events, pod, container, statusOf, told } = await createEngineRig();
    const podSandboxId = await pod();
    const containerId = await container(podSandboxId, ['exit', '3']);
    await cri.startContainer({ containerId });
    const status = await statusOf(containerId);
    expect(status).toMatchObject({ state: ContainerState.CONTAINER_EXITED, exitCode: 3, reason: 'Error' });
    expect((status?.finishedAt ?? 0n) > (status?.startedAt ?? 0n)).toBe(true);
    await clock.settle();
    expect(told({ [containerId]: 'app' }).slice(2)).toEqual(['CREATED app', 'STARTED app', 'STOPPED app']);
    expect(events[3]?.containersStatuses[0]?.state).toBe(ContainerState.CONTAINER_RUNNING);
  });

  it('leaves a container that cannot be started EXITED with 128', async () => {
    const { cri, pod, container, statusOf } = await createEngineRig();
    const containerId = await container(await pod(), ['missing']);
    await expect(cri.startContainer({ containerId })).rejects.toThrow('executable file not found');
    expect(await statusOf(containerId)).toMatchObject({
      state: ContainerState.CONTAINER_EXITED,
      exitCode: 128,
      reason: 'StartError',
      startedAt: 0n,
      message: expect.stringContaining('not found'),
    });
  });

  it('reports an OOM kill', async () => {
    const { runtime, cri, pod, container, statusOf } = await createEngineRig();
    const containerId = await container(await pod());
    await cri.startContainer({ containerId });
    await runtime.exitContainer(containerId.slice(0, 12), { exitCode: 137, reason: 'OOMKilled' });
    expect(await statusOf(containerId)).toMatchObject({ exitCode: 137, reason: 'OOMKilled' });
    await expect(runtime.exitContainer(containerId, { exitCode: 0 })).rejects.toEqual(kind('wrong-state'));
  });

  it('stops the containers of a sandbox that dies (INV-5)', async () => {
    const { backend, clock, cri, pod, container, statusOf } = await createEngineRig();
    const podSandboxId = await pod();
    const containerId = await container(podSandboxId);
    await cri.startContainer({ containerId });
    backend.host.sandboxExited(podSandboxId);
    await clock.settle();
    expect((await statusOf(containerId))?.state).toBe(ContainerState.CONTAINER_EXITED);
    const { status } = await cri.podSandboxStatus({ podSandboxId });
    expect(status?.state).toBe(PodSandboxState.SANDBOX_NOTREADY);
    expect(status?.network?.ip).toBe('');
    await expect(container(podSandboxId, [], 'late')).rejects.toEqual(kind('wrong-state'));
  });

  it('does not show a sandbox that dies while it is started', async () => {
    const { backend, cri, pod } = await createEngineRig();
    const { runSandbox } = backend;
    backend.runSandbox = (spec, call) => {
      backend.host.sandboxExited(spec.id);
      return runSandbox(spec, call);
    };
    await expect(pod()).rejects.toThrow('died while it was started');
    backend.runSandbox = runSandbox;
    expect((await cri.listPodSandbox()).items).toEqual([]);
    await pod();
  });

  it('forgets what vanished behind its back, and frees its name', async () => {
    const { backend, clock, cri, pod, container, told } = await createEngineRig();
    const podSandboxId = await pod();
    const containerId = await container(podSandboxId);
    await cri.startContainer({ containerId });
    backend.host.sandboxVanished(podSandboxId);
    await clock.settle();
    expect(told({ [podSandboxId]: 'pod', [containerId]: 'app' }).slice(4)).toEqual([
      'STOPPED app',
      'STOPPED pod',
      'DELETED app',
      'DELETED pod',
    ]);
    expect(await pod()).not.toBe(podSandboxId);
  });
});

describe('StopContainer', () => {
  it('holds up nothing else in the pod while a grace period lasts', async () => {
    const { clock, cri, pod, container, statusOf } = await createEngineRig();
    const podSandboxId = await pod();
    const slow = await container(podSandboxId, ['ignore-term'], 'slow');
    const other = await container(podSandboxId, ['sleep', '60'], 'other');
    await cri.startContainer({ containerId: slow });
    let stopped = false;
    const stopping = clock
      .run(() => cri.stopContainer({ containerId: slow, timeout: 30n }))
      .then(() => {
        stopped = true;
      });
    await cri.startContainer({ containerId: other });
    await cri.stopContainer({ containerId: other, timeout: 30n });
    await clock.advance(29_999);
    expect(stopped).toBe(false);
    expect((await statusOf(slow))?.state).toBe(ContainerState.CONTAINER_RUNNING);
    await clock.advance(1);
    await stopping;
    expect((await statusOf(slow))?.exitCode).toBe(137);
  });

  it('is cut short by a removal', async () => {
    const { clock, cri, pod, container } = await createEngineRig();
    const containerId = await container(await pod(), ['ignore-term']);
    await cri.startContainer({ containerId });
    const stopping = clock.run(() => cri.stopContainer({ containerId, timeout: 30n }));
    await cri.removeContainer({ containerId });
    await stopping;
    expect(clock.elapsed()).toBe(0);
  });
});
