import { status as Code } from '@grpc/grpc-js';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRemoteService } from '../../../adapters/remote/remote-service.js';
import { createRealClock } from '../../../src/base/clock/real-clock.js';
import { faultFields } from '../../../src/cli/commands/serve/log-fields.js';
import { type CriConnection, connectCri } from '../../../src/cri/client/connect.js';
import { type Assembly, assemble } from '../../../src/runtime/assembly/assembly.js';
import { remoteOrigin } from '../../../src/runtime/assembly/remote-target.js';
import type { FaultInput } from '../../../src/runtime/faults/language/rule-schema.js';
import { readRules } from '../../../src/runtime/faults/language/written-rule.js';
import type { CriServer } from '../../../src/runtime/server/server.js';
import { createTape, listenTo } from '../../../src/tape/tape.js';
import type { Mockri } from '../../../src/testing/index.js';
import { useTemporaryDirectories } from '../../support/temporary.js';
import { until } from '../../support/turns.js';
import { ending, startPod, useMockri } from './kit.js';

const mockri = useMockri();
const temporaryDirectory = useTemporaryDirectories();

/** A runtime, a server that forwards to it with fault rules, and a client of that server. */
interface Proxied extends Assembly {
  readonly behind: Mockri;
  readonly front: CriServer;
  readonly client: CriConnection;
  readonly log: object[];
}

let p: Proxied;
const atEnd: (() => unknown)[] = [];

beforeEach(async () => {
  const behind = await mockri();
  // Exists before the proxy starts.
  await startPod(behind, 'web');
  const clock = createRealClock();
  const origin = remoteOrigin(createRemoteService(behind.endpoint));
  const tape = createTape(clock);
  const assembly = assemble(origin, { clock, tape, warn: () => {} });
  await origin.discover();
  const log: object[] = [];
  listenTo(tape, 'fault', (fault) => log.push(faultFields(fault)));
  const front = await assembly.serve({ listen: `${temporaryDirectory()}/front.sock` });
  const client = connectCri(front.endpoint);
  atEnd.push(() => assembly.close(), client.close);
  p = { ...assembly, behind, front, client, log };
});

afterEach(async () => {
  for (const end of atEnd.splice(0).reverse()) await end();
});

const add = (rule: FaultInput) => p.faults.registry.add(readRules([rule], 'test'), 'test');

test('rules match the names of older and newer objects', async () => {
  const { containers } = await p.client.listContainers({});
  const web = { containerId: containers[0]?.id ?? '' };
  add({
    name: 'web',
    match: { pod: { namespace: 'default', name: 'w*' }, container: { name: 'app', attempt: 0 } },
    then: { error: { code: 'ABORTED', message: 'web' } },
  });
  expect(await ending(p.client.containerStatus(web))).toBe('ABORTED web');
  const db = await startPod({ ...p.behind, client: p.client }, 'db', 'postgres');
  expect(await ending(p.client.containerStatus(db))).toBe('OK');
  add({ name: 'db', match: { container: { name: 'postgres' } }, then: { error: { code: 'ABORTED' } } });
  expect(await ending(p.client.stopContainer({ ...db, timeout: 0n }))).toMatch(/^ABORTED/);
  expect(p.behind.container('postgres').state).toBe('RUNNING');
  expect(p.log).toEqual([
    expect.objectContaining({ rule: 'web', method: 'ContainerStatus', pod: 'default/web' }),
    expect.objectContaining({ rule: 'db', method: 'StopContainer', container: 'postgres' }),
  ]);
  expect(p.front.log.list({ faulty: true }).map(({ faults, code }) => [faults, code])).toEqual([
    [['web'], Code.ABORTED],
    [['db'], Code.ABORTED],
  ]);
  expect([...p.faults.applied]).toEqual([
    { rule: 'web', method: 'ContainerStatus', action: 'error', count: 1 },
    { rule: 'db', method: 'StopContainer', action: 'error', count: 1 },
  ]);
});

test('a call fails after the remote runtime has done it, or gets another reply', async () => {
  const metadata = { name: 'new', namespace: 'default', uid: 'u', attempt: 0 };
  add({ match: { method: 'RunPodSandbox' }, then: { error: { code: 'UNKNOWN', effect: 'after' } } });
  expect(await ending(p.client.runPodSandbox({ config: { metadata, linux: {} } }))).toMatch(/^UNKNOWN/);
  expect(p.behind.runtime.snapshot().sandboxes.map(({ name }) => name)).toEqual(['web', 'new']);
  add({ match: { method: 'Version' }, then: { reply: { patch: { runtime_name: 'other' } } } });
  expect(await p.client.version({})).toMatchObject({ runtimeName: 'other', runtimeApiVersion: 'v1' });
  add({ match: { method: 'ListContainers' }, then: { loseStatus: {} } });
  expect(await p.client.listContainers({})).toMatchObject({ containers: [{ state: 3 }] });
  p.faults.registry.reset();
  expect(await p.client.version({})).toMatchObject({ runtimeName: 'mockri' });
});

test('only the events of one pod are lost', async () => {
  add({ match: { method: 'GetContainerEvents', pod: { name: 'web' } }, on: 'message', then: { drop: {} } });
  const seen: string[] = [];
  const leave = new AbortController();
  const reading = (async () => {
    for await (const event of p.client.getContainerEvents({}, { signal: leave.signal }))
      seen.push(event.podSandboxStatus?.metadata?.name ?? '');
  })().catch(() => {});
  await until(() => p.behind.runtime.eventStats.queues.length === 1);
  await p.behind.container('app').exit(1);
  await startPod(p.behind, 'db');
  // Created and started events of the sandbox and its container.
  await until(() => seen.length >= 4);
  expect(new Set(seen)).toEqual(new Set(['db']));
  leave.abort();
  await reading;
});

test('the runtime is not ready, pauses and restarts, as its clients see it', async () => {
  add({ then: { condition: { type: 'NetworkReady', reason: 'Gone', message: 'no cni' } } });
  await until(() => p.log.length === 1);
  expect((await p.client.status({})).status?.conditions).toContainEqual({
    type: 'NetworkReady',
    status: false,
    reason: 'Gone',
    message: 'no cni',
  });
  p.faults.registry.reset();
  expect((await p.client.status({})).status?.conditions.every(({ status }) => status)).toBe(true);

  add({ then: { pause: {} } });
  await until(() => p.log.length === 2);
  const held = ending(p.client.version({}));
  p.faults.registry.reset();
  expect(await held).toBe('OK');

  add({ match: { method: 'Version' }, when: { times: 1 }, then: { restart: { downFor: '100ms' } } });
  expect(await ending(p.client.version({}))).toMatch(/^UNAVAILABLE/);
  await p.client.waitForReady(10_000);
  expect((await p.client.listContainers({})).containers).toHaveLength(1);
});

test.each<[string, FaultInput['then'], RegExp]>([
  ['exit', { exit: {} }, /exit can't be done to a runtime elsewhere \(backends remote and tape\)/],
  ['oom', { oom: {} }, /oom can't be done/],
  ['clockSkew', { clockSkew: { by: '1h' } }, /clockSkew can't be done/],
  ['restart with its state lost', { restart: { state: 'lose' } }, /allowed: state: keep/],
])('%s is refused', (action, then, message) => {
  const match = ['exit', 'oom'].includes(action) ? { container: { name: 'app' } } : {};
  expect(() => add({ match, then })).toThrow(message);
});
