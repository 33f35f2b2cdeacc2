import { afterEach, describe, expect, it } from 'vitest';
import { type Cri, callDirectly } from '../../test/property/cri.js';
import { createFakeBackend, type FakeBackend } from '../../test/property/fake-backend.js';
import { createVirtualClock, type VirtualClock } from '../clock/virtual-clock.js';
import {
  ContainerEventResponse,
  ContainerEventType,
  ContainerState,
  PodSandboxState,
} from '../cri/gen/runtime/v1/api.js';
import { createRuntime, type Runtime, type RuntimeOptions } from './runtime.js';

const image = 'busybox:1';

let backend: FakeBackend;
let clock: VirtualClock;
let runtime: Runtime;
let cri: Cri;
let events: ContainerEventResponse[];

async function start(options: Partial<RuntimeOptions> = {}): Promise<void> {
  clock = createVirtualClock();
  backend = createFakeBackend(clock);
  runtime = await createRuntime({ backend, clock, ...options });
  cri = callDirectly(runtime.service);
  events = [];
  void follow();
  await cri.pullImage({ image: { image } });
}

async function follow(): Promise<void> {
  const call = { signal: new AbortController().signal, deadline: undefined };
  for await (const event of runtime.service.getContainerEvents({}, call))
    events.push(Buffer.isBuffer(event) ? ContainerEventResponse.decode(event) : event);
}

afterEach(() => runtime.close());

const sandboxConfig = (name = 'web', attempt = 0) => ({
  metadata: { name, uid: `uid-${name}`, namespace: 'default', attempt },
  logDirectory: `/var/log/pods/${name}`,
  labels: { app: name },
});

async function pod(name = 'web', attempt = 0): Promise<string> {
  const { podSandboxId } = await cri.runPodSandbox({ config: sandboxConfig(name, attempt) });
  return podSandboxId;
}

async function container(podSandboxId: string, command: string[] = ['sleep', '3600'], name = 'app') {
  const config = { metadata: { name, attempt: 0 }, image: { image }, command, logPath: `${name}/0.log` };
  const { containerId } = await cri.createContainer({
    podSandboxId,
    config,
    sandboxConfig: sandboxConfig(),
  });
  return containerId;
}

async function state(containerId: string) {
  const { status } = await cri.containerStatus({ containerId });
  return status;
}

/** `CREATED a` for each event, with ids replaced by the given names. */
function told(names: Record<string, string>): string[] {
  return events.map(({ containerId, containerEventType }) => {
    const type = ContainerEventType[containerEventType].split('_')[1];
    return `${type} ${names[containerId] ?? containerId}`;
  });
}

const kind = (expected: string) => expect.objectContaining({ kind: expected });

describe('the life of a pod', () => {
  it('goes from run to remove, with an event for each step', async () => {
    await start();
    const podSandboxId = await pod();
    const containerId = await container(podSandboxId);
    expect(await state(containerId)).toMatchObject({
      state: ContainerState.CONTAINER_CREATED,
      startedAt: 0n,
      finishedAt: 0n,
      reason: '',
      logPath: '/var/log/pods/web/app/0.log',
    });
    await cri.startContainer({ containerId });
    expect(await state(containerId)).toMatchObject({
      state: ContainerState.CONTAINER_RUNNING,
      finishedAt: 0n,
    });
    await cri.stopContainer({ containerId, timeout: 10n });
    expect(await state(containerId)).toMatchObject({
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
    await start();
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
    await start();
    const podSandboxId = await pod();
    const containerId = await container(podSandboxId, ['exit', '3']);
    await cri.startContainer({ containerId });
    const status = await state(containerId);
    expect(status).toMatchObject({ state: ContainerState.CONTAINER_EXITED, exitCode: 3, reason: 'Error' });
    expect((status?.finishedAt ?? 0n) > (status?.startedAt ?? 0n)).toBe(true);
    await clock.settle();
    expect(told({ [containerId]: 'app' }).slice(2)).toEqual(['CREATED app', 'STARTED app', 'STOPPED app']);
    expect(events[3]?.containersStatuses[0]?.state).toBe(ContainerState.CONTAINER_RUNNING);
  });

  it('leaves a container that cannot be started EXITED with 128', async () => {
    await start();
    const containerId = await container(await pod(), ['missing']);
    await expect(cri.startContainer({ containerId })).rejects.toThrow('executable file not found');
    expect(await state(containerId)).toMatchObject({
      state: ContainerState.CONTAINER_EXITED,
      exitCode: 128,
      reason: 'StartError',
      startedAt: 0n,
      message: expect.stringContaining('not found'),
    });
  });

  it('reports an OOM kill', async () => {
    await start();
    const containerId = await container(await pod());
    await cri.startContainer({ containerId });
    await runtime.exitContainer(containerId.slice(0, 12), { exitCode: 137, reason: 'OOMKilled' });
    expect(await state(containerId)).toMatchObject({ exitCode: 137, reason: 'OOMKilled' });
    await expect(runtime.exitContainer(containerId, { exitCode: 0 })).rejects.toEqual(kind('wrong-state'));
  });

  it('stops the containers of a sandbox that dies (INV-5)', async () => {
    await start();
    const podSandboxId = await pod();
    const containerId = await container(podSandboxId);
    await cri.startContainer({ containerId });
    backend.host.sandboxExited(podSandboxId);
    await clock.settle();
    expect((await state(containerId))?.state).toBe(ContainerState.CONTAINER_EXITED);
    const { status } = await cri.podSandboxStatus({ podSandboxId });
    expect(status?.state).toBe(PodSandboxState.SANDBOX_NOTREADY);
    expect(status?.network?.ip).toBe('');
    await expect(container(podSandboxId, [], 'late')).rejects.toEqual(kind('wrong-state'));
  });

  it('does not show a sandbox that dies while it is started', async () => {
    await start();
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
    await start();
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

describe('refused requests', () => {
  it('name the present state and the allowed ones', async () => {
    await start();
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
    await start({ transitions: 'strict' });
    const podSandboxId = await pod();
    const containerId = await container(podSandboxId);
    await expect(cri.removeContainer({ containerId })).rejects.toThrow('needs CONTAINER_EXITED');
    await cri.startContainer({ containerId });
    await expect(cri.removeContainer({ containerId })).rejects.toEqual(kind('wrong-state'));
    await expect(cri.removePodSandbox({ podSandboxId })).rejects.toThrow('needs SANDBOX_NOTREADY');
    expect((await state(containerId))?.state).toBe(ContainerState.CONTAINER_RUNNING);
  });

  it('answers unknown, empty and ambiguous ids', async () => {
    await start({ newId: sequence() });
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
    await start();
    backend.delays.runSandbox = 5;
    const runs = Promise.allSettled([pod(), pod(), pod()]);
    await clock.advance(10);
    const outcomes = await runs;
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toEqual(kind('conflict'));
  });

  it('frees a name after removal and after failure', async () => {
    await start();
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
    await start();
    const podSandboxId = await pod();
    const controller = new AbortController();
    backend.createContainer = async (spec) => {
      controller.abort();
      backend.calls.push(`createContainer ${spec.id}`);
      return { user: undefined, resources: undefined, stopSignal: 23 };
    };
    const config = { metadata: { name: 'app' }, image: { image } };
    const request = { podSandboxId, config, sandboxConfig: sandboxConfig() };
    await expect(cri.createContainer(request, { signal: controller.signal })).rejects.toEqual(
      kind('cancelled'),
    );
    expect(backend.calls.at(-1)).toMatch(/^removeContainer/);
    await cri.createContainer(request);
  });

  it('lets a waiting call leave the queue without effect', async () => {
    await start();
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
    expect((await state(containerId))?.state).toBe(ContainerState.CONTAINER_RUNNING);
  });
});

describe('with overflow block', () => {
  it('makes an RPC wait for a subscriber that is too slow, but not for one that leaves (INV-35)', async () => {
    await start({ events: { overflow: 'block', queueSize: 1 } });
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

describe('StopContainer', () => {
  it('holds up nothing else in the pod while a grace period lasts', async () => {
    await start();
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
    expect((await state(slow))?.state).toBe(ContainerState.CONTAINER_RUNNING);
    await clock.advance(1);
    await stopping;
    expect((await state(slow))?.exitCode).toBe(137);
  });

  it('is cut short by a removal', async () => {
    await start();
    const containerId = await container(await pod(), ['ignore-term']);
    await cri.startContainer({ containerId });
    const stopping = clock.run(() => cri.stopContainer({ containerId, timeout: 30n }));
    await cri.removeContainer({ containerId });
    await stopping;
    expect(clock.elapsed()).toBe(0);
  });
});

/** Ids with a long common beginning. */
function sequence(): () => string {
  let count = 0;
  return () => (count++).toString(16).padStart(64, '0');
}
