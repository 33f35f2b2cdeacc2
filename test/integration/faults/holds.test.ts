import { afterEach, beforeEach, expect, test } from 'vitest';
import { createVirtualClock } from '../../../src/base/clock/virtual-clock.js';
import { createFaults } from '../../../src/runtime/faults/faults.js';
import type { FaultHost } from '../../../src/runtime/faults/host.js';
import { buildFault } from '../../../src/testing/fault-builder.js';
import { type Mockri, startMockri } from '../../../src/testing/index.js';

let mockri: Mockri;

beforeEach(async () => {
  mockri = await startMockri({ control: true, presentImages: ['busybox:1.36'] });
});

afterEach(() => mockri.close());

interface Held {
  readonly id: number;
  readonly rule: string;
  readonly on: string;
  readonly method: string;
  readonly subject: { readonly pod?: { readonly name: string } };
}

async function ask(path: string, body?: object) {
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(`${mockri.control}${path}`, init);
  return { status: response.status, ...((await response.json()) as { holds: Held[]; detail?: string }) };
}

/** The first that is held after an id. */
async function held(since = 0): Promise<Held> {
  const { holds } = await ask(`/v1/holds?since=${since}&wait=10s`);
  return holds[0] as Held;
}

async function drain(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of stream);
}

const web = { metadata: { name: 'web', namespace: 'default', uid: 'u1', attempt: 0 }, linux: {} };

test('a call is held until it may continue', async () => {
  mockri.fault('RunPodSandbox').hold();
  const running = mockri.client.runPodSandbox({ config: web });
  const { id, ...rest } = await held();
  expect(rest).toMatchObject({ rule: 'hold-RunPodSandbox-1', on: 'call', method: 'RunPodSandbox' });
  expect(rest.subject.pod?.name).toBe('web');
  expect((await mockri.client.listPodSandbox({})).items).toEqual([]);
  expect(await ask(`/v1/holds/${id}`, {})).toMatchObject({ status: 200 });
  await running;
  expect((await ask('/v1/holds')).holds).toEqual([]);
});

test('a decision has the effect of a rule', async () => {
  mockri.fault('RunPodSandbox').hold();
  const refused = mockri.client.runPodSandbox({ config: web });
  const first = await held();
  await ask(`/v1/holds/${first.id}`, { then: { error: { code: 'UNAVAILABLE', message: 'not now' } } });
  await expect(refused).rejects.toMatchObject({ codeName: 'UNAVAILABLE', details: 'not now' });

  const lost = mockri.client.runPodSandbox({ config: web });
  const second = await held(first.id);
  await ask(`/v1/holds/${second.id}`, { then: { error: { code: 'DEADLINE_EXCEEDED', effect: 'after' } } });
  await expect(lost).rejects.toMatchObject({ codeName: 'DEADLINE_EXCEEDED' });
  expect((await mockri.client.listPodSandbox({})).items).toHaveLength(1);
});

test('replies and messages of streams are held, too', async () => {
  mockri.fault('Version').on('reply').hold();
  const version = mockri.client.version({});
  const reply = await held();
  await ask(`/v1/holds/${reply.id}`, { then: { reply: { patch: { runtime_name: 'other' } } } });
  expect(await version).toMatchObject({ runtimeName: 'other' });

  await mockri.client.runPodSandbox({ config: web });
  mockri.fault('StreamPodSandboxes').on('message').hold();
  const listed = drain(mockri.client.streamPodSandboxes({}));
  const message = await held(reply.id);
  expect(message.on).toBe('message');
  await ask(`/v1/holds/${message.id}`, { then: { close: { code: 'INTERNAL' } } });
  await expect(listed).rejects.toMatchObject({ codeName: 'INTERNAL' });
});

test('a hold ends with its timeout, its rule or its client', async () => {
  mockri.fault('Version').once().hold({ for: '10ms' });
  await mockri.client.version({});
  mockri.fault('Version').named('forever').hold();
  const waits = mockri.client.version({});
  await held();
  mockri.reset();
  await waits;
  expect((await ask('/v1/holds')).holds).toEqual([]);

  mockri.fault('Version').hold();
  await expect(mockri.client.version({}, { timeout: 50 })).rejects.toMatchObject({
    codeName: 'DEADLINE_EXCEEDED',
  });
});

test("a decision that can't be carried out is refused, and the call stays", async () => {
  mockri.fault('Version').hold();
  const version = mockri.client.version({});
  const { id } = await held();
  expect(await ask(`/v1/holds/${id}`, { then: { drop: {} } })).toMatchObject({
    status: 400,
    detail: "body: on: drop can't act on call; allowed: message, session",
  });
  expect((await ask(`/v1/holds/${id}`, { then: { hold: {} } })).status).toBe(400);
  expect(await ask('/v1/holds/99', {})).toMatchObject({
    status: 404,
    detail: `nothing with id "99" is held; there is only ${id}`,
  });
  await ask(`/v1/holds/${id}`, {});
  await version;
});

test('a rule that holds calls is refused where nobody can release them', () => {
  const host = { conditions: () => ({ runtime: true, network: true }) } as unknown as FaultHost;
  const { registry } = createFaults({ host, clock: createVirtualClock() });
  expect(() => buildFault(registry, 'Version').hold()).toThrow(
    'then.hold: nothing could release the call: it needs the control API of npx mockri serve or startMockri',
  );
});
