import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { type Cri, callDirectly } from '../../../../test/property/cri.js';
import { createFakeBackend, type FakeBackend } from '../../../../test/property/fake-backend.js';
import { useTemporaryDirectories } from '../../../../test/support/temporary.js';
import { createVirtualClock } from '../../../base/clock/virtual-clock.js';
import { ContainerState } from '../../../cri/gen/runtime/v1/api.js';
import { createRuntime } from '../runtime.js';

const image = { image: 'busybox:1' };
const sandboxConfig = (name: string) => ({ metadata: { name, uid: name, namespace: 'default', attempt: 0 } });
const config = (name: string) => ({ metadata: { name, attempt: 0 }, image, command: ['sleep', '60'] });
const deadline = { deadline: 1n };

const temporary = useTemporaryDirectories();
let directory: string;
let cri: Cri;
let backend: FakeBackend;
let podSandboxId: string;
let containerIds: string[];

beforeEach(async () => {
  directory = temporary();
  const clock = createVirtualClock();
  backend = createFakeBackend(clock);
  cri = callDirectly((await createRuntime({ backend, clock })).service);
  await cri.pullImage({ image });
  ({ podSandboxId } = await cri.runPodSandbox({ config: sandboxConfig('web') }));
  containerIds = [];
  for (const name of ['a', 'b']) {
    const { containerId } = await cri.createContainer({
      podSandboxId,
      config: config(name),
      sandboxConfig: sandboxConfig('web'),
    });
    await cri.startContainer({ containerId });
    containerIds.push(containerId);
  }
});

const checkpoint = (given: object = {}, options: object = deadline) =>
  cri.checkpointPod({ podSandboxId, outputPath: directory, containerIds, ...given }, options);

const restore = (given: object = {}, options: object = deadline) =>
  cri.restorePod(
    {
      checkpointPath: directory,
      config: sandboxConfig('again'),
      containerConfigs: [config('a'), config('b')],
      ...given,
    },
    options,
  );

it('saves a pod while all its containers stand still, and restores it CREATED', async () => {
  const save = backend.checkpoints?.saveContainer;
  if (backend.checkpoints === undefined || save === undefined)
    throw new Error('the backend has no checkpoints');
  Object.assign(backend.checkpoints, {
    saveContainer: (...given: Parameters<typeof save>) => {
      expect(backend.paused).toEqual(new Set(containerIds));
      return save(...given);
    },
  });
  await checkpoint();
  expect(backend.paused.size).toBe(0);
  const restored = await restore();
  expect(restored.restoredContainers.map(({ name }) => name)).toEqual(['a', 'b']);
  for (const { containerId } of restored.restoredContainers) {
    const { status } = await cri.containerStatus({ containerId });
    expect(status?.state).toBe(ContainerState.CONTAINER_CREATED);
    await cri.startContainer({ containerId });
  }
});

it.each([
  ['saving', 'saveContainer'],
  ['pausing', 'pauseContainer'],
])('resumes everything and leaves nothing behind when %s fails', async (_what, operation) => {
  backend.failures[operation] = new Error('no');
  await expect(checkpoint()).rejects.toThrow('no');
  expect(backend.paused.size).toBe(0);
  expect(await readdir(directory)).toEqual([]);
});

it('undoes a checkpoint whose client has gone', async () => {
  const controller = new AbortController();
  const checkpoints = backend.checkpoints;
  if (checkpoints === undefined) throw new Error('the backend has no checkpoints');
  Object.assign(checkpoints, { saveContainer: async () => controller.abort() });
  await expect(checkpoint({}, { ...deadline, signal: controller.signal })).rejects.toMatchObject({
    kind: 'cancelled',
  });
  expect(backend.paused.size).toBe(0);
  expect(await readdir(directory)).toEqual([]);
});

it('removes all that it made when restoring fails', async () => {
  await checkpoint();
  const create = backend.checkpoints?.restoreContainer;
  let count = 0;
  Object.assign(backend.checkpoints ?? {}, {
    restoreContainer: (...given: Parameters<NonNullable<typeof create>>) => {
      if (count++ === 1) throw new Error('no');
      return create?.(...given);
    },
  });
  await expect(restore()).rejects.toThrow('no');
  expect((await cri.listPodSandbox()).items).toHaveLength(1);
  expect((await cri.listContainers()).containers).toHaveLength(2);
});

it('refuses bad requests, and touches nothing', async () => {
  const refusals: [() => Promise<unknown>, string][] = [
    [() => checkpoint({}, {}), 'no deadline'],
    [() => checkpoint({ options: { leaveRunning: 'no' } }), 'option "leaveRunning" is unknown'],
    [() => checkpoint({ containerIds: [] }), 'container_ids is empty'],
    [() => checkpoint({ containerIds: [containerIds[0], containerIds[0]] }), 'twice'],
    [() => checkpoint({ outputPath: 'relative' }), 'must be an absolute path'],
    [() => checkpoint({ outputPath: join(directory, 'absent') }), 'must be a directory that exists'],
    [() => restore({}, {}), 'no deadline'],
    [() => restore(), 'holds no pod checkpoint'],
    [() => restore({ options: { x: '' } }), 'option "x" is unknown'],
    [
      () => cri.checkpointContainer({ containerId: containerIds[0] ?? '', location: 'relative' }),
      'absolute path',
    ],
  ];
  for (const [refused, message] of refusals)
    await expect(refused()).rejects.toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining(message),
    });
  await writeFile(join(directory, 'file'), '');
  await expect(checkpoint()).rejects.toThrow('must be empty, it holds "file"');
  await rm(join(directory, 'file'));
  await cri.stopContainer({ containerId: containerIds[0] ?? '', timeout: 0n });
  await expect(checkpoint()).rejects.toMatchObject({ kind: 'wrong-state' });
  expect(backend.calls.filter((call) => call.startsWith('pause'))).toEqual([]);
});

it('refuses to restore other containers than were saved, or from a forged manifest', async () => {
  await checkpoint();
  await expect(restore({ containerConfigs: [] })).rejects.toThrow('container_configs is empty');
  await expect(restore({ containerConfigs: [config('a')] })).rejects.toThrow('they must be the same');
  await expect(restore({ containerConfigs: [config('a'), config('a')] })).rejects.toThrow('twice');
  const forged = { version: 1, containers: [{ name: 'a', file: '../../etc/passwd' }] };
  const other = join(directory, 'other');
  await mkdir(other);
  await writeFile(join(other, 'pod.json'), JSON.stringify(forged));
  await expect(restore({ checkpointPath: other, containerConfigs: [config('a')] })).rejects.toThrow(
    'holds no pod checkpoint',
  );
});

it('saves one container', async () => {
  const [containerId = ''] = containerIds;
  await cri.checkpointContainer({ containerId, location: join(directory, 'one') });
  expect(await readdir(directory)).toEqual(['one']);
  expect(backend.paused.size).toBe(0);
});
