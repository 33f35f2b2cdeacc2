import { afterEach, describe, expect, test } from 'vitest';
import { CallError } from '../cri/client/call-error.js';
import type { CriClient } from '../cri/client/client.js';
import { ContainerState } from '../cri/gen/runtime/v1/api.js';
import { type Mockri, startMockri } from '../testing/index.js';
import type { RuntimeProfileName } from './index.js';

const IMAGE = { image: 'registry.k8s.io/e2e-test-images/busybox:1.29-2' };
const NOBODY = 'f'.repeat(64);
const SANDBOX = { metadata: { name: 'web', uid: 'u1', namespace: 'default', attempt: 0 } };

let mockri: Mockri | undefined;
afterEach(() => mockri?.close());

async function start(profile: RuntimeProfileName): Promise<CriClient> {
  mockri = await startMockri({ profile, referee: 'off' });
  await mockri.client.pullImage({ image: IMAGE });
  return mockri.client;
}

/** `NOT_FOUND: text`, with ids as `<id>`; `OK` for a success. */
async function answer(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'OK';
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    return `${error.codeName}: ${error.details.replace(/[0-9a-f]{64}/g, '<id>')}`;
  }
}

async function makePod(cri: CriClient) {
  const { podSandboxId } = await cri.runPodSandbox({ config: SANDBOX });
  const create = (name: string, command: readonly string[]) =>
    cri.createContainer({
      podSandboxId,
      config: { metadata: { name, attempt: 0 }, image: IMAGE, command },
      sandboxConfig: SANDBOX,
    });
  return { podSandboxId, create };
}

/** What was measured with containerd 2.1.9 and 1.7.24 by `mockri diff`. */
const measured: readonly [string, (cri: CriClient) => Promise<unknown>, string, string?][] = [
  [
    'an unknown container',
    (cri) => cri.startContainer({ containerId: NOBODY }),
    'NOT_FOUND: an error occurred when try to find container "<id>": not found',
  ],
  [
    'an unknown container, by ExecSync',
    (cri) => cri.execSync({ containerId: NOBODY, cmd: ['true'] }),
    'NOT_FOUND: failed to exec in container: failed to find container "<id>" in store: not found',
  ],
  [
    'an empty sandbox id',
    (cri) => cri.stopPodSandbox({ podSandboxId: '' }),
    `UNKNOWN: an error occurred when try to find sandbox "": prefix can't be empty`,
  ],
  [
    'a sandbox name that is taken',
    async (cri) => {
      await makePod(cri);
      await makePod(cri);
    },
    'FAILED_PRECONDITION: failed to reserve sandbox name "web_default_u1_0": name "web_default_u1_0" is reserved for "<id>"',
    'UNKNOWN: failed to reserve sandbox name "web_default_u1_0": name "web_default_u1_0" is reserved for "<id>"',
  ],
  [
    'a container name that is taken',
    async (cri) => {
      const { create } = await makePod(cri);
      await create('app', ['true']);
      await create('app', ['true']);
    },
    'FAILED_PRECONDITION: failed to reserve container name "app_web_default_u1_0"; check if another CreateContainer request is in progress: name "app_web_default_u1_0" is reserved for "<id>"',
    'UNKNOWN: failed to reserve container name "app_web_default_u1_0": name "app_web_default_u1_0" is reserved for "<id>"',
  ],
  [
    'a container in a stopped sandbox',
    async (cri) => {
      const { podSandboxId, create } = await makePod(cri);
      await cri.stopPodSandbox({ podSandboxId });
      await create('app', ['true']);
    },
    'OK',
    'NOT_FOUND: failed to get sandbox container task: no running task found: task <id> not found: not found',
  ],
  [
    'a start of a running container',
    async (cri) => {
      const { create } = await makePod(cri);
      const { containerId } = await create('app', ['sleep', '1000']);
      await cri.startContainer({ containerId });
      await cri.startContainer({ containerId });
    },
    'UNKNOWN: failed to set starting state for container "<id>": container is in CONTAINER_RUNNING state',
  ],
  [
    'a sandbox without metadata',
    (cri) => cri.runPodSandbox({ config: {} }),
    'UNKNOWN: sandbox config must include metadata',
  ],
  [
    'a sandbox without a uid',
    (cri) => cri.runPodSandbox({ config: { metadata: { ...SANDBOX.metadata, uid: '' } } }),
    'OK',
  ],
  [
    'an unknown runtime handler',
    (cri) => cri.runPodSandbox({ config: SANDBOX, runtimeHandler: 'fast' }),
    'UNKNOWN: unable to get OCI runtime for sandbox "<id>": no runtime for "fast" is configured',
    'UNKNOWN: failed to get sandbox runtime: no runtime for "fast" is configured',
  ],
  ['the handler runc', (cri) => cri.runPodSandbox({ config: SANDBOX, runtimeHandler: 'runc' }), 'OK'],
  [
    'RuntimeConfig',
    (cri) => cri.runtimeConfig({}),
    'OK',
    'UNIMPLEMENTED: method RuntimeConfig not implemented',
  ],
  [
    'a list of a later CRI',
    async (cri) => {
      for await (const _ of cri.streamContainers({}));
    },
    'UNIMPLEMENTED: unknown method StreamContainers for service runtime.v1.RuntimeService',
  ],
  [
    'exec without streams in an unknown container',
    (cri) => cri.exec({ containerId: NOBODY, cmd: ['true'] }),
    'NOT_FOUND: failed to find container "<id>" in store: not found',
  ],
];

describe('containerd answers as measured', () => {
  test.each(measured)('%s', async (_, call, newer, older = newer) => {
    expect(await answer(call(await start('containerd-2.1')))).toBe(newer);
    await mockri?.close();
    expect(await answer(call(await start('containerd-1.7')))).toBe(older);
  });
});

test('a container that cannot be started sends no STOPPED, and PodSandboxStatus has no containers', async () => {
  const cri = await start('containerd-2.1');
  const abort = new AbortController();
  const types: number[] = [];
  const reading = (async () => {
    for await (const { containerEventType } of cri.getContainerEvents({}, { signal: abort.signal }))
      types.push(containerEventType);
  })().catch(() => {});
  const { podSandboxId, create } = await makePod(cri);
  const { containerId } = await create('app', ['/no/such/program']);
  expect(await answer(cri.startContainer({ containerId }))).toMatch(
    /^UNKNOWN: failed to create containerd task/,
  );
  const { status } = await cri.containerStatus({ containerId });
  expect(status).toMatchObject({ exitCode: 128, reason: 'StartError', imageId: '', startedAt: 0n });
  expect(await cri.podSandboxStatus({ podSandboxId })).toMatchObject({
    containersStatuses: [],
    timestamp: 0n,
  });
  await cri.removePodSandbox({ podSandboxId });
  abort.abort();
  await reading;
  // CREATED and STARTED of the sandbox can come before the subscription; no STOPPED of the container follows its CREATED.
  expect(types.slice(-4)).toEqual([0, 2, 3, 3]);
});

test('lists are as containerd has them', async () => {
  const cri = await start('containerd-2.1');
  const { create } = await makePod(cri);
  const { containerId } = await create('app', ['true']);
  const { containers } = await cri.listContainers({});
  expect(containers[0]).toMatchObject({
    id: containerId,
    state: ContainerState.CONTAINER_CREATED,
    imageId: '',
  });
  const { images } = await cri.listImages({ filter: { image: { image: 'other' } } });
  expect(images).toHaveLength(1);
  const { stats } = await cri.listContainerStats({});
  expect(stats.map(({ cpu }) => cpu)).toEqual([undefined]);
});

test('Version and Status are those of containerd', async () => {
  const newer = await start('containerd-2.1');
  expect(await newer.version({})).toMatchObject({
    runtimeName: 'containerd',
    runtimeVersion: '2.1.9+unknown',
  });
  const { status, runtimeHandlers } = await newer.status({});
  expect(status?.conditions.map(({ type }) => type)).toContain('ContainerdHasNoDeprecationWarnings');
  expect(runtimeHandlers.map(({ name }) => name)).toEqual(['', 'runc']);
  await mockri?.close();
  expect((await (await start('containerd-1.7')).status({})).runtimeHandlers).toEqual([]);
});
