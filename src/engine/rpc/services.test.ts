import { beforeEach, describe, expect, it } from 'vitest';
import { type Cri, callDirectly } from '../../../test/property/cri.js';
import { createFakeBackend, type FakeBackend } from '../../../test/property/fake-backend.js';
import { createVirtualClock, type VirtualClock } from '../../clock/virtual-clock.js';
import {
  ContainerConfig,
  ContainerState,
  ExecSyncResponse,
  PodSandboxConfig,
  PodSandboxState,
  Signal,
} from '../../cri/gen/runtime/v1/api.js';
import type { Inventory } from '../backend.js';
import { createRuntime, type Runtime } from '../runtime.js';
import type { ExecSession, StreamingHandler, StreamingServer } from '../streaming.js';

const image = { image: 'busybox:1' };
const sandboxConfig = {
  metadata: { name: 'web', uid: 'u', namespace: 'default', attempt: 0 },
  labels: { app: 'web' },
};

let clock: VirtualClock;
let backend: FakeBackend;
let runtime: Runtime;
let cri: Cri;
let podSandboxId: string;
let containerId: string;
let handler: StreamingHandler;
let session: ExecSession | undefined;

const streaming = async (given: StreamingHandler): Promise<StreamingServer> => {
  handler = given;
  return {
    address: 'http://127.0.0.1:1',
    execUrl: (asked) => {
      session = asked;
      return 'exec';
    },
    attachUrl: () => 'attach',
    portForwardUrl: ({ ports }) => `forward ${ports.join()}`,
    close: async () => {},
  };
};

beforeEach(async () => {
  clock = createVirtualClock();
  backend = createFakeBackend(clock);
  runtime = await createRuntime({ backend, clock, streaming });
  cri = callDirectly(runtime.service);
  await cri.pullImage({ image });
  ({ podSandboxId } = await cri.runPodSandbox({ config: sandboxConfig }));
  const config = { metadata: { name: 'app' }, image, command: ['sleep', '3600'], tty: true };
  ({ containerId } = await cri.createContainer({ podSandboxId, config, sandboxConfig }));
  await cri.startContainer({ containerId });
});

const kind = (expected: string) => expect.objectContaining({ kind: expected });

describe('ExecSync', () => {
  it('answers output and exit code', async () => {
    const echo = await cri.execSync({ containerId, cmd: ['echo', 'hello'] });
    expect([String(echo.stdout), echo.stderr.length, echo.exitCode]).toEqual(['hello', 0, 0]);
    expect((await cri.execSync({ containerId, cmd: ['exit', '7'] })).exitCode).toBe(7);
  });

  it('cuts the output so that the reply is a message of 16 MiB at most', async () => {
    const reply = await cri.execSync({ containerId, cmd: ['fill', String(17 << 20)] });
    const size = ExecSyncResponse.encode(reply).finish().length;
    expect(size).toBeLessThanOrEqual(16 << 20);
    expect(size).toBeGreaterThan((16 << 20) - 100);
  });

  it('ends at its timeout, on the clock', async () => {
    const executing = clock.run(() => cri.execSync({ containerId, cmd: ['sleep', '4321'], timeout: 1n }));
    const refused = expect(executing).rejects.toMatchObject({
      kind: 'timeout',
      message: /timeout 1s exceeded/,
    });
    await clock.advance(1000);
    await refused;
    expect(clock.elapsed()).toBe(1000);
  });

  it('ends when its client goes', async () => {
    const client = new AbortController();
    const cmd = ['sleep', '4321'];
    const executing = clock.run(() => cri.execSync({ containerId, cmd }, { signal: client.signal }));
    client.abort();
    await expect(executing).rejects.toEqual(kind('cancelled'));
  });

  it('refuses an empty command and a negative timeout', async () => {
    await expect(cri.execSync({ containerId })).rejects.toThrow('cmd is empty');
    await expect(cri.execSync({ containerId, cmd: ['a'], timeout: -1n })).rejects.toEqual(kind('invalid'));
  });
});

describe('streaming requests', () => {
  it('get a URL for the full id', async () => {
    const asked = { containerId: containerId.slice(0, 8), cmd: ['sh'], stdout: true, tty: true };
    expect(await cri.exec(asked)).toEqual({ url: 'exec' });
    expect(session).toMatchObject({ containerId, command: ['sh'], tty: true });
    expect(await cri.attach({ containerId, stdin: true, tty: true })).toEqual({ url: 'attach' });
    expect(await cri.portForward({ podSandboxId, port: [80] })).toEqual({ url: 'forward 80' });
  });

  it('are checked with the texts of the streaming library', async () => {
    const cmd = ['sh'];
    await expect(cri.exec({ cmd, stdout: true })).rejects.toThrow('missing required container_id');
    await expect(cri.attach({ stdout: true })).rejects.toThrow('missing required container_id');
    await expect(cri.portForward({})).rejects.toThrow('missing required pod_sandbox_id');
    await expect(cri.exec({ containerId, cmd })).rejects.toThrow(
      'one of stdin, stdout, or stderr must be set',
    );
    await expect(cri.exec({ containerId, cmd, tty: true, stdout: true, stderr: true })).rejects.toThrow(
      'tty and stderr cannot both be true',
    );
    await expect(cri.attach({ containerId, stdout: true })).rejects.toThrow('was created with true');
    await expect(cri.portForward({ podSandboxId, port: [0] })).rejects.toThrow('port 0 is out of range');
    await cri.stopContainer({ containerId });
    await expect(cri.exec({ containerId, cmd, stdout: true })).rejects.toEqual(kind('wrong-state'));
  });

  it('look at the state again when the stream comes', async () => {
    const streams = {};
    const asked = {
      containerId,
      command: ['exit', '3'],
      stdin: false,
      stdout: true,
      stderr: false,
      tty: false,
    };
    const { signal } = new AbortController();
    expect(await handler.exec(asked, streams, signal)).toBe(3);
    await cri.stopContainer({ containerId });
    await expect(handler.exec(asked, streams, signal)).rejects.toEqual(kind('wrong-state'));
  });

  it('are UNIMPLEMENTED without a streaming server', async () => {
    const plain = await createRuntime({ backend: createFakeBackend(clock), clock });
    const other = callDirectly(plain.service);
    await other.pullImage({ image });
    const pod = await other.runPodSandbox({ config: sandboxConfig });
    await expect(other.portForward({ ...pod, port: [] })).rejects.toEqual(kind('unsupported'));
  });
});

describe('what the runtime tells', () => {
  it('verbose is JSON, under the keys of containerd (INV-24)', async () => {
    const container = (await cri.containerStatus({ containerId, verbose: true })).info;
    expect(JSON.parse(container.info ?? '')).toMatchObject({
      sandboxID: podSandboxId,
      pid: 2,
      big: '3',
      config: { metadata: { name: 'app' }, tty: true },
    });
    const { info, status } = await cri.podSandboxStatus({ podSandboxId, verbose: true });
    expect(JSON.parse(info.info ?? '')).toMatchObject({ config: { labels: { app: 'web' } }, pid: 1 });
    expect(status?.id).toBe(podSandboxId);
    const runtimeInfo = (await cri.status({ verbose: true })).info;
    expect(JSON.parse(runtimeInfo.config ?? '')).toMatchObject({ runtimeName: 'fake' });
    expect((await cri.imageStatus({ image, verbose: true })).info.info).toMatch(/^{"chainID"/);
  });

  it('Version is ready bytes', () => {
    const call = { signal: new AbortController().signal, deadline: undefined };
    const first = runtime.service.version({ version: '' }, call);
    expect(Buffer.isBuffer(first)).toBe(true);
    expect(runtime.service.version({ version: '' }, call)).toBe(first);
  });

  it('a list is the same bytes until something changes', async () => {
    const call = { signal: new AbortController().signal, deadline: undefined };
    const list = () => runtime.service.listContainers({ filter: undefined }, call);
    const before = list();
    expect(list()).toBe(before);
    await cri.stopContainer({ containerId });
    expect(list()).not.toBe(before);
  });

  it('metrics are those that have a descriptor (INV-49)', async () => {
    const [pod] = (await cri.listPodSandboxMetrics()).podMetrics;
    expect(pod?.metrics.map(({ name, labelValues }) => [name, labelValues])).toEqual([['described', ['1']]]);
    expect(await cri.streamPodSandboxMetrics()).toHaveLength(1);
  });

  it('streams nothing for an empty list (INV-20)', async () => {
    expect(await cri.streamContainers({ filter: { id: 'none' } })).toEqual([]);
  });

  it('pod_cidr is kept until another comes (INV-52)', async () => {
    await cri.updateRuntimeConfig({ runtimeConfig: { networkConfig: { podCidr: '10.1.0.0/16,fd00::/64' } } });
    await cri.updateRuntimeConfig({});
    expect((await cri.status({ verbose: true })).info.config).toContain('10.1.0.0/16,fd00::/64');
    for (const podCidr of ['nonsense', '10.0.0.0/33', '10.0.0.0'])
      await expect(
        cri.updateRuntimeConfig({ runtimeConfig: { networkConfig: { podCidr } } }),
      ).rejects.toEqual(kind('invalid'));
  });
});

describe('resources', () => {
  it('are in the status after an update, and unchanged after a failed one', async () => {
    await cri.updateContainerResources({ containerId, linux: { cpuShares: 7n } });
    const shares = async () =>
      (await cri.containerStatus({ containerId })).status?.resources?.linux?.cpuShares;
    expect(await shares()).toBe(7n);
    backend.failures.updateContainerResources = new Error('no');
    await expect(cri.updateContainerResources({ containerId, linux: { cpuShares: 9n } })).rejects.toThrow(
      'no',
    );
    expect(await shares()).toBe(7n);
  });
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

  it('can lose everything, and goes on', async () => {
    await runtime.loseState();
    expect((await cri.listPodSandbox()).items).toEqual([]);
    expect(runtime.counts).toEqual({
      sandboxes: { READY: 0, NOTREADY: 0 },
      containers: { CREATED: 0, RUNNING: 0, EXITED: 0, UNKNOWN: 0 },
    });
    await cri.runPodSandbox({ config: sandboxConfig });
  });

  it('can pretend that a condition is false', async () => {
    const condition = { type: 'RuntimeReady', status: false, reason: 'Fault', message: 'injected' } as const;
    runtime.overrideCondition('RuntimeReady', condition);
    expect((await cri.status()).status?.conditions[0]).toEqual(condition);
    runtime.overrideCondition('RuntimeReady', undefined);
    expect((await cri.status()).status?.conditions[0]?.status).toBe(true);
  });
});

it('takes over what the backend already had (INV-53)', async () => {
  const { image: found } = await cri.imageStatus({ image });
  if (found === undefined) throw new Error('no image');
  const config = PodSandboxConfig.fromPartial(sandboxConfig);
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
  await expect(other.runPodSandbox({ config: sandboxConfig })).rejects.toEqual(kind('conflict'));
});
