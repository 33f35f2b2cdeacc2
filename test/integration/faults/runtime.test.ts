import { once } from 'node:events';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { ContainerState } from '../../../src/cri/gen/runtime/v1/api.js';
import { until } from '../../support/turns.js';
import { createPod, ending, startPod, useMockri } from './kit.js';

const mockri = useMockri();

test('restart: the socket is absent meanwhile, the state is kept', async () => {
  const m = await mockri();
  await startPod(m, 'web');
  m.fault('Version').once().restart({ downFor: '300ms' });
  expect(await ending(m.client.version({}))).toMatch(/^UNAVAILABLE /);
  expect(await ending(m.client.version({}))).toMatch(/^UNAVAILABLE /);
  await m.client.waitForReady(10_000);
  expect((await m.client.listContainers({})).containers).toMatchObject([
    { state: ContainerState.CONTAINER_RUNNING },
  ]);
});

test('restart: streams end, their URLs are gone, and new ones lead to the same server', async () => {
  const m = await mockri();
  const { containerId } = await startPod(m, 'web');
  const command = { containerId, cmd: ['sh', '-c', 'echo ready; sleep 3600'], stdout: true };
  const { url: unused } = await m.client.exec(command);
  const { url } = await m.client.exec(command);
  const socket = new WebSocket(url, 'v4.channel.k8s.io');
  // An empty message says that the session is there.
  await once(socket, 'message');
  const ended = once(socket, 'close');
  m.fault('Version').once().restart({ downFor: '300ms' });
  await ending(m.client.version({}));
  expect((await ended)[0]).toBe(1006);
  await expect(fetch(unused)).rejects.toThrow('fetch failed');
  await m.client.waitForReady(10_000);
  expect((await fetch(unused)).status).toBe(404);
  const { url: next } = await m.client.exec(command);
  expect(new URL(next).host).toBe(new URL(url).host);
  const again = new WebSocket(next, 'v4.channel.k8s.io');
  await once(again, 'message');
  again.terminate();
});

test('restart: the state is lost', async () => {
  const m = await mockri();
  await startPod(m, 'web');
  m.fault('Version').once().restart({ state: 'lose' });
  await ending(m.client.version({}));
  await m.client.waitForReady(10_000);
  expect((await m.client.listPodSandbox({})).items).toEqual([]);
  expect((await m.client.listImages({})).images).toHaveLength(1);
  expect(await ending(startPod(m, 'web'))).toBe('OK');
});

test('restart: reset restores the socket immediately', async () => {
  const m = await mockri();
  m.fault('Version').once().restart({ downFor: '1h' });
  await ending(m.client.version({}));
  m.reset();
  await m.client.waitForReady(10_000);
  expect(await ending(m.client.version({}))).toBe('OK');
});

test('scheduled restarts happen once each', async () => {
  const m = await mockri({ clock: 'virtual' });
  const rule = m.fault().during({ from: '10s' }).every('5s').times(3).restart({ downFor: '400ms' });
  await m.advance('9s');
  expect(rule.counts).toMatchObject({ applied: 0 });
  await m.advance('1h');
  expect(rule.counts).toMatchObject({ applied: 3, left: 0 });
  await m.client.waitForReady(10_000);
  expect(await ending(m.client.version({}))).toBe('OK');
});

test('pause: all calls and events wait', async () => {
  const m = await mockri({ clock: 'virtual' });
  await startPod(m, 'web');
  const arrivals: number[] = [];
  const leave = new AbortController();
  const reading = (async () => {
    for await (const _ of m.client.getContainerEvents({}, { signal: leave.signal }))
      arrivals.push(m.clock.elapsed());
  })().catch(() => {});
  m.fault().during({ from: '1s' }).pause('10s');
  await m.advance('2s');
  const since = m.clock.elapsed();
  await m.container('app').exit(3);
  const answered = m.client.version({}).then(() => m.clock.elapsed() - since);
  await m.advance('1h');
  expect(await answered).toBe(9000);
  expect(arrivals.map((time) => time - since)).toEqual([9000]);
  leave.abort();
  await reading;
});

test('condition: Status reports it, and RunPodSandbox fails, until it ends', async () => {
  const m = await mockri({ clock: 'virtual' });
  m.fault().condition({
    type: 'NetworkReady',
    reason: 'NetworkPluginNotReady',
    message: 'cni is gone',
    for: '1m',
  });
  await m.advance(0);
  const conditions = async () => (await m.client.status({})).status?.conditions;
  expect(await conditions()).toContainEqual({
    type: 'NetworkReady',
    status: false,
    reason: 'NetworkPluginNotReady',
    message: 'cni is gone',
  });
  expect(await ending(createPod(m, 'web'))).toMatch(/^UNAVAILABLE NetworkReady is false/);
  await m.advance('1m');
  expect(await conditions()).toContainEqual(expect.objectContaining({ type: 'NetworkReady', status: true }));
  expect(await ending(createPod(m, 'web'))).toBe('OK');
});

test('rules act only while the conditions match', async () => {
  const m = await mockri();
  m.fault('Version').while({ network: 'not-ready' }).error('ABORTED');
  expect(await ending(m.client.version({}))).toBe('OK');
  const gone = m.fault().condition({ type: 'NetworkReady' });
  await until(() => gone.counts?.applied === 1);
  expect(await ending(m.client.version({}))).toMatch(/^ABORTED/);
});

test('clockSkew: timestamps are shifted, and correct again afterwards', async () => {
  const m = await mockri({ clock: 'virtual' });
  const rule = m.fault().clockSkew({ by: '-1h' });
  await m.advance(0);
  const { podSandboxId, containerId } = await startPod(m, 'web');
  const created = (await m.client.podSandboxStatus({ podSandboxId })).status?.createdAt ?? 0n;
  const hours = (time: bigint) => Math.round(Number(m.clock.now() - time) / 3.6e12);
  expect(hours(created)).toBe(1);
  await m.container('app').exit(3);
  const { status } = await m.client.containerStatus({ containerId });
  expect(hours(status?.finishedAt ?? 0n)).toBe(1);
  rule.remove();
  const other = await createPod(m, 'db');
  expect(hours((await m.client.podSandboxStatus(other)).status?.createdAt ?? 0n)).toBe(0);
});

test('exit and oom at given times, for containers by name', async () => {
  const m = await mockri({ clock: 'virtual' });
  const web = await startPod(m, 'web');
  const db = await startPod(m, 'db');
  m.fault().pod('web').during({ from: '2s' }).exit({ code: 3 });
  m.fault().container('app').during({ from: '5s' }).oom();
  await m.advance('3s');
  const exited = async (containerId: string) => (await m.client.containerStatus({ containerId })).status;
  expect(await exited(web.containerId)).toMatchObject({ exitCode: 3, reason: 'Error' });
  expect((await exited(db.containerId))?.state).toBe(ContainerState.CONTAINER_RUNNING);
  await m.advance('3s');
  expect(await exited(db.containerId)).toMatchObject({ exitCode: 137, reason: 'OOMKilled' });
});

test('exit on a call: the container ends when the call arrives', async () => {
  const m = await mockri();
  const { containerId } = await startPod(m, 'web');
  m.fault('ContainerStatus').container('app').once().exit({ code: 9 });
  await m.client.containerStatus({ containerId });
  await until(() => m.container('app').state === 'EXITED');
  expect((await m.client.containerStatus({ containerId })).status?.exitCode).toBe(9);
});

test('ignoreStop: the kill follows after the grace period', async () => {
  const m = await mockri({ clock: 'virtual' });
  const { containerId } = await startPod(m, 'web');
  m.fault().container('app').ignoreStop();
  const before = m.clock.elapsed();
  const stopped = m.client
    .stopContainer({ containerId, timeout: 30n })
    .then(() => m.clock.elapsed() - before);
  await m.advance('1m');
  expect(await stopped).toBe(30_000);
  expect((await m.client.containerStatus({ containerId })).status?.exitCode).toBe(137);
});

test('slowStart', async () => {
  const m = await mockri({ clock: 'virtual' });
  const { containerId } = await createPod(m, 'web');
  m.fault('StartContainer').slowStart({ duration: '7s' });
  const before = m.clock.elapsed();
  const started = m.client.startContainer({ containerId }).then(() => m.clock.elapsed() - before);
  await m.advance('1m');
  expect(await started).toBe(7000);
});

test('loseStatus: the container is UNKNOWN while the rule is active', async () => {
  const m = await mockri();
  const { containerId } = await startPod(m, 'web');
  const rule = m.fault(['ContainerStatus', 'ListContainers']).loseStatus();
  expect((await m.client.containerStatus({ containerId })).status).toMatchObject({
    state: ContainerState.CONTAINER_UNKNOWN,
    exitCode: 255,
  });
  expect((await m.client.listContainers({})).containers[0]?.state).toBe(ContainerState.CONTAINER_UNKNOWN);
  rule.remove();

  const other = await startPod(m, 'db', 'postgres');
  const some = m.fault('ListContainers').container('postgres').loseStatus();
  const states = async (filter?: { podSandboxId: string }) =>
    (await m.client.listContainers({ filter })).containers.map(({ metadata, state }) => [
      metadata?.name,
      state,
    ]);
  expect(Object.fromEntries(await states())).toEqual({
    app: ContainerState.CONTAINER_RUNNING,
    postgres: ContainerState.CONTAINER_UNKNOWN,
  });
  expect(await states(other)).toEqual([['postgres', ContainerState.CONTAINER_UNKNOWN]]);
  some.remove();
  expect((await m.client.containerStatus({ containerId })).status?.state).toBe(
    ContainerState.CONTAINER_RUNNING,
  );
});
