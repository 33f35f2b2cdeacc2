import { expect, test } from 'vitest';
import { CallError } from '../../../src/cri/client/call-error.js';
import type { ContainerEventType } from '../../../src/cri/gen/runtime/v1/api.js';
import type { Mockri } from '../../../src/testing/index.js';
import { until } from '../../support/turns.js';
import { createPod, useMockri } from './kit.js';

const mockri = useMockri();
const names = { 0: 'created', 1: 'started', 2: 'stopped', 3: 'deleted' } as const;

/** Events of a container's short life that a subscriber receives, and the end of the stream. */
async function seen(m: Mockri, moves: () => Promise<void> = async () => {}): Promise<string[]> {
  const got: string[] = [];
  const leave = new AbortController();
  const reading = (async () => {
    try {
      for await (const { containerEventType } of m.client.getContainerEvents({}, { signal: leave.signal }))
        got.push(names[containerEventType as ContainerEventType.CONTAINER_CREATED_EVENT]);
      got.push('end');
    } catch (error) {
      if (!leave.signal.aborted) got.push(error instanceof CallError ? error.codeName : String(error));
    }
  })();
  await until(() => m.runtime.eventStats.queues.length === 1 || got.length > 0);
  const { podSandboxId, containerId } = await createPod(m, 'web');
  await m.client.startContainer({ containerId });
  await m.client.stopContainer({ containerId, timeout: 0n });
  await m.client.removeContainer({ containerId });
  await m.client.removePodSandbox({ podSandboxId });
  await moves();
  // The reply to another call arrives after earlier events.
  for (let calls = 0; calls < 20; calls++) await m.client.version({});
  leave.abort();
  await reading;
  await until(() => m.runtime.eventStats.queues.length === 0);
  return got;
}

/** The container's events; of the sandbox only its deletion. */
const LIFE = ['created', 'started', 'stopped', 'deleted'];

test('without rules', async () => {
  const m = await mockri();
  const all = await seen(m);
  expect(all.filter((_, index) => index < 10)).toEqual(expect.arrayContaining(LIFE));
});

test('drop, duplicate, reorder, replay', async () => {
  const m = await mockri();
  const healthy = await seen(m);
  const [a = '', b = '', c = '', ...rest] = healthy;

  m.fault('GetContainerEvents').after(1).once().drop();
  expect(await seen(m)).toEqual([a, c, ...rest]);
  m.reset();
  m.fault('GetContainerEvents').once().duplicate({ copies: 2 });
  expect(await seen(m)).toEqual([a, a, a, b, c, ...rest]);
  m.reset();
  m.fault('GetContainerEvents').once().reorder({ window: 3 });
  expect(await seen(m)).toEqual([c, b, a, ...rest]);
  m.reset();
  m.fault('GetContainerEvents').after(2).once().replay({ last: 2 });
  expect(await seen(m)).toEqual([a, b, c, a, b, ...rest]);
  m.reset();
  expect(await seen(m)).toEqual(healthy);
});

test('end, close and reset of the stream', async () => {
  const m = await mockri();
  const [first] = await seen(m);
  m.fault('GetContainerEvents').on('message').after(1).end();
  expect(await seen(m)).toEqual([first, 'end']);
  m.reset();
  m.fault('GetContainerEvents').on('message').after(1).close('UNAVAILABLE', 'gone');
  expect(await seen(m)).toEqual([first, 'UNAVAILABLE']);
  m.reset();
  m.fault('GetContainerEvents').on('message').after(1).reset();
  expect(await seen(m)).toEqual([first, 'INTERNAL']);
  m.reset();
  m.fault('GetContainerEvents').end();
  expect(await seen(m)).toEqual(['end']);
  m.reset();
  m.fault('GetContainerEvents').error('UNIMPLEMENTED');
  expect(await seen(m)).toEqual(['UNIMPLEMENTED']);
});

test('stall until reset: nothing is lost', async () => {
  const m = await mockri();
  const healthy = await seen(m);
  m.fault('GetContainerEvents').on('message').after(1).stall();
  expect(await seen(m)).toEqual(healthy.slice(0, 1));
  m.reset();
  m.fault('GetContainerEvents').on('message').after(1).stall();
  expect(await seen(m, async () => m.reset())).toEqual(healthy);
});

test('messages are delayed and slowed down', async () => {
  const m = await mockri({ clock: 'virtual' });
  const times: number[] = [];
  m.fault('GetContainerEvents').on('message').throttle({ perSecond: 2 });
  m.fault('GetContainerEvents').on('message').once().delay('10s');
  const leave = new AbortController();
  const reading = (async () => {
    for await (const _ of m.client.getContainerEvents({}, { signal: leave.signal }))
      times.push(m.clock.elapsed());
  })().catch(() => {});
  await m.advance(0);
  const { containerId } = await createPod(m, 'web');
  const before = m.clock.elapsed();
  await m.client.removeContainer({ containerId });
  await m.advance('1h');
  leave.abort();
  await reading;
  const since = times.map((time) => Math.round(time - before));
  expect(since[0]).toBeGreaterThan(10_000);
  expect(since.slice(1).map((time, index) => time - (since[index] ?? 0))).toEqual(
    since.slice(1).map(() => 500),
  );
});

test('the fields of a message can be changed', async () => {
  const m = await mockri();
  m.fault('GetContainerEvents')
    .on('message')
    .reply({ patch: { created_at: { $divide: 1_000_000 } } });
  const stream = m.client.getContainerEvents({})[Symbol.asyncIterator]();
  const next = stream.next();
  await until(() => m.runtime.eventStats.queues.length === 1);
  await createPod(m, 'web');
  const { value } = await next;
  expect(value.createdAt / 1_000_000_000_000n).toBe(1n);
  await stream.return?.();
});

test('the trailer of a stream names a rule once, however often it acts', async () => {
  const m = await mockri();
  m.fault('GetContainerEvents').on('message').named('slow').delay('1us');
  await seen(m);
  await until(() => m.calls({ method: 'GetContainerEvents' }).length === 1);
  expect(m.calls({ method: 'GetContainerEvents' })).toMatchObject([{ faults: ['slow'] }]);
});

test('streaming lists too', async () => {
  const m = await mockri();
  await createPod(m, 'web');
  await createPod(m, 'db');
  m.fault('StreamContainers').on('message').once().drop();
  const names: string[] = [];
  for await (const { containers } of m.client.streamContainers({}))
    names.push(...containers.map(({ id }) => id));
  m.fault('StreamContainers').close('UNAVAILABLE');
  await expect(async () => {
    for await (const _ of m.client.streamContainers({}));
  }).rejects.toMatchObject({ code: 14 });
});

/** Events of a sandbox and of its container. */
const STARTED = ['created', 'started', 'created', 'started'];

test.each([
  [{ close: { code: 'UNAVAILABLE' } } as const, [...STARTED, 'UNAVAILABLE']],
  [{ end: {} } as const, [...STARTED, 'end']],
])('a rule on open streams acts only on those that are open when it is added: %j', async (then, expected) => {
  const m = await mockri();
  const got: string[] = [];
  const first = follow(m, got);
  await until(() => m.runtime.eventStats.queues.length === 1);
  const { containerId } = await createPod(m, 'web');
  await m.client.startContainer({ containerId });
  await until(() => got.length === STARTED.length);
  m.addFault({ name: 'cut', match: { method: 'GetContainerEvents' }, on: 'open-streams', then });
  await first;
  expect(got).toEqual(expected);
  const later: string[] = [];
  const leave = new AbortController();
  const second = follow(m, later, leave.signal);
  await until(() => m.runtime.eventStats.queues.length === 1);
  await m.client.stopContainer({ containerId, timeout: 0n });
  await until(() => later.length === 1);
  leave.abort();
  await second;
  expect(later).toEqual(['stopped']);
  expect(m.faults[0]).toMatchObject({ seen: 1, matched: 1, applied: 1 });
});

/** Names of the events of a stream and how it ends. */
async function follow(m: Mockri, got: string[], signal?: AbortSignal): Promise<void> {
  try {
    for await (const { containerEventType: type } of m.client.getContainerEvents({}, { signal }))
      got.push(names[type as ContainerEventType.CONTAINER_CREATED_EVENT]);
    got.push('end');
  } catch (error) {
    if (!signal?.aborted) got.push(error instanceof CallError ? error.codeName : String(error));
  }
}
