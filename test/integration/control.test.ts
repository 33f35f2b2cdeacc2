import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createRealClock } from '../../src/clock/real-clock.js';
import { createVirtualClock } from '../../src/clock/virtual-clock.js';
import { eventRoutes } from '../../src/control/events.js';
import { metricsRoute } from '../../src/control/metrics.js';
import { callRoutes, clockRoutes, healthRoute, runtimeRoutes } from '../../src/control/routes.js';
import { type ControlServer, startControl } from '../../src/control/server.js';
import { notFound } from '../../src/cri/errors.js';
import type { Runtime } from '../../src/engine/runtime.js';
import { CallLog } from '../../src/server/call-log.js';

let control: ControlServer;
let log: CallLog;
const exits: unknown[] = [];

/** As much of a runtime as the routes look at. */
const runtime = {
  snapshot: () => ({ sandboxes: [] }),
  counts: { sandboxes: { READY: 2, NOTREADY: 0 }, containers: { CREATED: 0, RUNNING: 3, EXITED: 1 } },
  eventStats: { published: 7, dropped: 1, disconnected: 0, queues: [0, 4] },
  find: () => undefined,
  exitContainer: async (id: string, exit: object) => {
    if (id !== 'abc') throw notFound(`no container ${id}`);
    exits.push(exit);
  },
} as unknown as Runtime;

beforeEach(async () => {
  log = new CallLog(createRealClock(), 3);
  control = await startControl({
    listen: '127.0.0.1:0',
    routes: [
      healthRoute(),
      ...runtimeRoutes(runtime),
      ...callRoutes(log),
      ...eventRoutes({ log }),
      ...clockRoutes(createVirtualClock()),
      metricsRoute({ log, connections: { size: 5 }, runtime }),
    ],
  });
});

afterEach(() => control.close());

function finish(method: string, code = 0): void {
  const call = { peer: 'unix#1', connection: 1, subject: undefined, details: '', messages: 1, faults: [] };
  log.finish(log.stats(method), { ...call, code, startedAt: 5n }, 0);
}

const get = async (path: string) =>
  (await fetch(control.url + path)).json() as Promise<Record<string, unknown>>;
const post = (path: string, body: unknown) =>
  fetch(control.url + path, { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) });

test('says that it is alive', async () => {
  expect(await (await fetch(`${control.url}/healthz`)).text()).toBe('ok\n');
});

test('lists calls by filter, and no more than it remembers', async () => {
  for (const method of ['Version', 'Status', 'Version', 'Version']) finish(method);
  finish('StopContainer', 9);
  expect(await get('/v1/calls')).toMatchObject({
    calls: [
      { sequence: 3 },
      { sequence: 4 },
      { method: 'StopContainer', code: 'FAILED_PRECONDITION', startedAt: '5' },
    ],
    next: 5,
  });
  expect(await get('/v1/calls?method=Version&since=3')).toMatchObject({ calls: [{ sequence: 4 }] });
  expect(await get('/v1/calls?code=FAILED_PRECONDITION')).toMatchObject({ calls: [{ sequence: 5 }] });
});

test('streams calls as they end', async () => {
  const response = await fetch(`${control.url}/v1/events`);
  finish('Version');
  const reader = response.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  expect(new TextDecoder().decode(value)).toMatch(/^event: call\ndata: \{.*"method":"Version".*\}\n\n$/);
  await reader?.cancel();
});

test('ends a container', async () => {
  expect((await post('/v1/containers/abc/exit', { exitCode: 137, reason: 'OOMKilled' })).status).toBe(200);
  expect(exits).toEqual([{ exitCode: 137, reason: 'OOMKilled' }]);
  expect((await post('/v1/containers/xyz/exit', {})).status).toBe(404);
});

test('moves a virtual clock', async () => {
  const before = await get('/v1/clock');
  expect(await (await post('/v1/clock', { advance: '10m' })).json()).toMatchObject({
    kind: 'virtual',
    now: String(BigInt(String(before.now)) + 600_000_000_000n),
  });
});

test('exposes metrics', async () => {
  finish('Version');
  const text = await (await fetch(`${control.url}/metrics`)).text();
  for (const line of [
    'mockri_rpc_total{method="Version",code="OK"} 1',
    'mockri_rpc_duration_seconds_bucket{le="+Inf",method="Version"} 1',
    'mockri_rpc_duration_seconds_count{method="Version"} 1',
    'mockri_connections 5',
    'mockri_containers{state="RUNNING"} 3',
    'mockri_event_subscribers 2',
    'mockri_event_queue 4',
    'mockri_events_dropped_total 1',
  ])
    expect(text.split('\n')).toContain(line);
});

describe('refuses', () => {
  test.each([
    ['an unknown path', '/v1/cals', 'GET', 404, /\/v1\/calls/],
    ['a wrong method', '/v1/state', 'DELETE', 405, /takes GET, not DELETE/],
    ['an unknown field', '/v1/containers/abc/exit', '{"exitcode":1}', 400, /exitCode/],
    ['a body that is no JSON', '/v1/containers/abc/exit', '{', 400, /no JSON/],
    ['a huge body', '/v1/containers/abc/exit', 'x'.repeat(2 ** 20 + 1), 413, /1048576 bytes/],
    ['a bad query', '/v1/calls?since=x', 'GET', 400, /since/],
  ])('%s', async (_, path, what, status, detail) => {
    const response = /^[A-Z]+$/.test(what)
      ? await fetch(control.url + path, { method: what })
      : await post(path, what);
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(await response.json()).toMatchObject({ status, detail: expect.stringMatching(detail) });
  });

  test('a foreign Host header', async () => {
    const status = await new Promise((resolve) => {
      const headers = { host: 'evil.example' };
      request(`${control.url}/v1/state`, { headers }, (response) => resolve(response.statusCode)).end();
    });
    expect(status).toBe(403);
  });

  test.each(['0.0.0.0:0', 'localhost', '127.0.0.1:70000'])('to listen on %s', async (listen) => {
    await expect(startControl({ listen, routes: [] })).rejects.toThrow(/beyond this machine|write host:port/);
  });
});
