import { expect, test } from 'vitest';
import { rawCall } from '../../support/network/raw-call.js';
import { createPod, ending, startPod, useMockri } from './kit.js';

const mockri = useMockri();

test('an error before the work changes nothing', async () => {
  const m = await mockri();
  const { containerId } = await createPod(m, 'web');
  m.fault('StartContainer').once().error('UNAVAILABLE', 'oops');
  expect(await ending(m.client.startContainer({ containerId }))).toBe('UNAVAILABLE oops');
  expect(m.container('app').state).toBe('CREATED');
  expect(await ending(m.client.startContainer({ containerId }))).toBe('OK');
  m.assertNoPendingFaults();
});

test('an error after the work: done, but the reply is lost', async () => {
  const m = await mockri();
  m.fault('RunPodSandbox').once().error('DEADLINE_EXCEEDED', 'lost', { effect: 'after' });
  expect(await ending(createPod(m, 'web'))).toBe('DEADLINE_EXCEEDED lost');
  expect((await m.client.listPodSandbox({})).items).toHaveLength(1);
  expect(await ending(createPod(m, 'web'))).toMatch(/^ALREADY_EXISTS .*reserved/);
});

test('a late error: the work is done after the reply', async () => {
  const m = await mockri({ clock: 'virtual' });
  const { containerId } = await createPod(m, 'web');
  m.fault('StartContainer').once().error('UNKNOWN', 'late', { effect: 'late', lateBy: '3s' });
  expect(await ending(m.client.startContainer({ containerId }))).toBe('UNKNOWN late');
  await m.advance(2999);
  expect(m.container('app').state).toBe('CREATED');
  await m.advance(1);
  expect(m.container('app').state).toBe('RUNNING');
});

test('delay', async () => {
  const m = await mockri({ clock: 'virtual' });
  m.fault('Version').delay('5s');
  const before = m.clock.elapsed();
  const answered = m.client.version({}).then(() => m.clock.elapsed() - before);
  await m.advance('1m');
  expect(await answered).toBe(5000);
});

test('hang ends with its time, the removal of the rule, or the client’s cancellation', async () => {
  const m = await mockri({ clock: 'virtual' });
  const rule = m.fault('Version').hang();
  const given = ending(m.client.version({}, { timeout: 2000 }));
  await m.advance('2s');
  expect(await given).toBe('DEADLINE_EXCEEDED context deadline exceeded');
  const held = ending(m.client.version({}));
  await m.advance('1h');
  rule.remove();
  expect(await held).toBe('OK');
  m.fault('Version').hang('5m');
  const before = m.clock.elapsed();
  const long = m.client.version({}).then(() => m.clock.elapsed() - before);
  await m.advance('1h');
  expect(await long).toBe(300_000);
});

test('replies can be patched, replaced, empty, old and large', async () => {
  const m = await mockri();
  await startPod(m, 'web');
  const { createdAt } = (await m.client.listContainers({})).containers[0] ?? { createdAt: 0n };
  const patched = m
    .fault('ListContainers')
    .reply({ patch: { containers: { created_at: { $divide: 1e9 } } } });
  expect((await m.client.listContainers({})).containers[0]?.createdAt).toBe(
    BigInt(Math.trunc(Number(createdAt) / 1e9)),
  );
  patched.remove();

  m.fault('Version')
    .once()
    .reply({ replace: { runtime_name: 'other' } });
  expect(await m.client.version({})).toMatchObject({ runtimeName: 'other', version: '' });

  m.fault('ListPodSandbox').once().reply({ empty: true });
  expect((await m.client.listPodSandbox({})).items).toEqual([]);

  m.fault('ListContainers').after(1).reply({ stale: true });
  const first = await m.client.listContainers({});
  await startPod(m, 'second');
  expect(await m.client.listContainers({})).toEqual(first);

  m.fault('ListImages').reply({ pad: 17 * 1024 * 1024 });
  expect(await ending(m.client.listImages({}))).toMatch(/^RESOURCE_EXHAUSTED .*16777216/);
});

test('reset breaks only one call', async () => {
  const m = await mockri();
  m.fault('Version').once().reset({ code: 'CANCEL' });
  m.fault('Status').once().reset({ code: 'REFUSED_STREAM' });
  const other = ending(m.client.imageFsInfo({}));
  expect(await ending(m.client.version({}))).toMatch(/^CANCELLED /);
  expect(await other).toBe('OK');
  expect(new Set(m.calls().map(({ connection }) => connection)).size).toBe(1);
  expect(m.calls({ faulty: true })).toMatchObject([{ method: 'Version', faults: ['reset-Version-1'] }]);
});

test('a refused call is sent again, after virtual time has advanced', async () => {
  const m = await mockri({ clock: 'virtual' });
  m.fault('Version').delay('5s');
  m.fault('Version').once().reset({ code: 'REFUSED_STREAM' });
  const before = m.clock.elapsed();
  const answered = m.client.version({}).then(() => m.clock.elapsed() - before);
  await m.advance('1m');
  expect(await answered).toBe(10_000);
});

test('reset and goaway of the connection', async () => {
  const m = await mockri();
  m.fault('Version').once().reset({ scope: 'connection' });
  expect(await ending(m.client.version({}))).toMatch(/^UNAVAILABLE /);
  await m.client.waitForReady(10_000);
  m.fault('Version').once().goaway();
  expect(await ending(m.client.version({}))).toBe('OK');
  expect(await ending(m.client.version({}))).toBe('OK');
  const numbers = m.calls({ method: 'Version', code: 'OK' }).map(({ connection }) => connection);
  expect(numbers[1]).toBe((numbers[0] ?? 0) + 1);
});

test('rules for the reply act after the work', async () => {
  const m = await mockri();
  m.fault('RunPodSandbox').on('reply').once().error('INTERNAL', 'after');
  expect(await ending(createPod(m, 'web'))).toBe('INTERNAL after');
  expect((await m.client.listPodSandbox({})).items).toHaveLength(1);
});

test('rules match names, request fields, groups and patterns', async () => {
  const m = await mockri();
  const web = await startPod(m, 'web-1');
  const db = await startPod(m, 'db-1', 'postgres');
  m.fault().pod('web-*').error('ABORTED', 'web');
  expect(await ending(m.client.podSandboxStatus({ podSandboxId: web.podSandboxId.slice(0, 12) }))).toBe(
    'ABORTED web',
  );
  expect(await ending(m.client.containerStatus({ containerId: web.containerId }))).toBe('ABORTED web');
  expect(await ending(m.client.containerStatus({ containerId: db.containerId }))).toBe('OK');
  m.reset();
  m.fault('@mutating').container('/^post/').request({ timeout: 7 }).error('ABORTED', 'db');
  expect(await ending(m.client.stopContainer({ containerId: db.containerId, timeout: 7n }))).toBe(
    'ABORTED db',
  );
  expect(await ending(m.client.stopContainer({ containerId: db.containerId, timeout: 0n }))).toBe('OK');
});

test('the trailer and the history name the rules that acted', async () => {
  const m = await mockri();
  m.fault('Version').named('slow').delay('1ms');
  m.fault('Version').named('broken').error('UNAVAILABLE');
  const { code, metadata } = await rawCall(m.endpoint, '/runtime.v1.RuntimeService/Version');
  expect(code).toBe(14);
  expect(metadata.get('x-mockri-fault').join(', ')).toBe('slow, broken');
  expect(m.calls({ faulty: true })).toMatchObject([{ faults: ['slow', 'broken'] }]);
  m.reset();
  const healthy = await rawCall(m.endpoint, '/runtime.v1.RuntimeService/Version');
  expect(healthy.code).toBe(0);
  expect(healthy.metadata.get('x-mockri-fault')).toEqual([]);
});

test('the API level is checked before the rules', async () => {
  const m = await mockri({ apiLevel: 'v0.27' });
  const rule = m.fault('RuntimeConfig').error('UNAVAILABLE');
  expect(await ending(m.client.runtimeConfig({}))).toMatch(/^UNIMPLEMENTED /);
  expect(rule.counts).toMatchObject({ seen: 0 });
});

test('pending rules are reported', async () => {
  const m = await mockri();
  m.fault('Version').named('twice').times(2).error();
  m.fault('Status').named('never').error();
  await ending(m.client.version({}));
  expect(() => m.assertNoPendingFaults()).toThrow(
    /2 fault rules are pending:\n {2}twice: seen 1, matched 1, applied 1, left 1\n {2}never: seen 0/,
  );
});
