import { request } from 'node:http';
import { hostname } from 'node:os';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createRealClock } from '../../src/base/clock/real-clock.js';
import { createVirtualClock } from '../../src/base/clock/virtual-clock.js';
import { notFound } from '../../src/cri/errors.js';
import { eventRoutes } from '../../src/runtime/control/events.js';
import { metricsRoute } from '../../src/runtime/control/metrics.js';
import {
  callRoutes,
  clockRoutes,
  healthRoute,
  runtimeRoutes,
} from '../../src/runtime/control/runtime-routes.js';
import { type ControlServer, startControl } from '../../src/runtime/control/server.js';
import type { Runtime } from '../../src/runtime/engine/runtime.js';
import { CallLog } from '../../src/runtime/server/call-log.js';

let control: ControlServer;
let log: CallLog;
const exits: unknown[] = [];

/** The parts of a runtime that the routes use. */
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

test('reports that it is alive', async () => {
  expect(await (await fetch(`${control.url}/healthz`)).text()).toBe('ok\n');
});

test('a server of one runtime rejects requests for a node', async () => {
  const response = await fetch(`${control.url}/v1/events?node=mock-1`);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    detail: expect.stringContaining('this server is one runtime'),
  });
});

test('lists calls by filter, up to its history limit', async () => {
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
  expect(new TextDecoder().decode(value)).toMatch(
    /^id: 1\nevent: call\ndata: \{.*"method":"Version".*\}\n\n$/,
  );
  await reader?.cancel();
});

test('sends a reader that reconnects the missed calls, up to its history limit', async () => {
  for (const method of ['Version', 'Status', 'ListContainers', 'Attach']) finish(method);
  const read = async (id: string) => {
    const response = await fetch(`${control.url}/v1/events`, { headers: { 'last-event-id': id } });
    finish('Version');
    const reader = response.body?.getReader();
    let text = '';
    while (!text.includes(`id: ${log.sequence}\n`))
      text += new TextDecoder().decode((await reader?.read())?.value);
    await reader?.cancel();
    return [...text.matchAll(/^(?:id|event): (.*)$/gm)].map(([, value]) => value).join(' ');
  };
  expect(await read('2')).toBe('3 call 4 call 5 call');
  expect(await read('1')).toBe('lost 3 call 4 call 5 call 6 call');
});

test('handles HEAD like GET, without a body', async () => {
  for (const path of ['/healthz', '/v1/state', '/metrics', '/v1/events']) {
    const response = await fetch(control.url + path, { method: 'HEAD' });
    expect([path, response.status, await response.text()]).toEqual([path, 200, '']);
    expect(response.headers.get('cache-control')).toBe('no-store');
  }
  expect((await fetch(`${control.url}/healthz`, { method: 'HEAD' })).headers.get('content-length')).toBe('3');
});

test('accepts JSON and YAML, with any content type of curl', async () => {
  const send = async (type: string, body: string) => {
    const headers = { 'content-type': type };
    return (await fetch(`${control.url}/v1/containers/abc/exit`, { method: 'POST', headers, body })).status;
  };
  expect(await send('application/json; charset=utf-8', '{"exitCode": 3}')).toBe(200);
  expect(await send('application/yaml', 'exitCode: 4\n')).toBe(200);
  expect(await send('application/x-www-form-urlencoded', '{"exitCode": 5}')).toBe(200);
  expect(exits.slice(-3)).toEqual([{ exitCode: 3 }, { exitCode: 4 }, { exitCode: 5 }]);
  expect(await send('image/png', '{}')).toBe(415);
});

test('lists the methods of a path', async () => {
  const response = await fetch(`${control.url}/v1/clock`, { method: 'DELETE' });
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
});

test('ends a container', async () => {
  expect((await post('/v1/containers/abc/exit', { exitCode: 137, reason: 'OOMKilled' })).status).toBe(200);
  expect(exits.at(-1)).toEqual({ exitCode: 137, reason: 'OOMKilled' });
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
    ['an unknown path', '/v1/cals', 'GET', 404, /did you mean "\/v1\/calls"/],
    [
      'a path with two slashes',
      '//healthz',
      'GET',
      404,
      /^there is no \/\/healthz; did you mean "\/healthz"/,
    ],
    ['a path unlike any other', '/x', 'GET', 404, /there are \/healthz, \/v1\/state/],
    ['a wrong method', '/v1/state', 'DELETE', 405, /takes GET, HEAD, not DELETE/],
    ['an unknown field', '/v1/containers/abc/exit', '{"exitcode":1}', 400, /exitCode/],
    ['a body that is not JSON', '/v1/containers/abc/exit', '{', 400, /^body:1:2: /],
    ['a huge body', '/v1/containers/abc/exit', 'x'.repeat(2 ** 20 + 1), 413, /at most 1048576 bytes/],
    [
      'a bad value',
      '/v1/containers/abc/exit',
      '{"exitCode":\n 300}',
      400,
      /^body:1:2: exitCode: expected at most 255/,
    ],
    ['a bad query', '/v1/calls?since=x', 'GET', 400, /since: expected a whole number from 0; given "x"$/],
    ['an unknown parameter', '/v1/calls?methd=x', 'GET', 400, /methd: unknown key; did you mean "method"/],
    ['a repeated parameter', '/v1/calls?limit=1&limit=2', 'GET', 400, /limit: given more than once/],
    [
      'a misspelled RPC',
      '/v1/calls?method=StartContianer',
      'GET',
      400,
      /method: unknown RPC; did you mean "StartContainer"\?; given "StartContianer"$/,
    ],
    ['a path that is not encoded', '/v1/containers/%ZZ/exit', '{}', 400, /"%ZZ" is not percent-encoded/],
  ])('%s', async (_, path, what, status, detail) => {
    const response = /^[A-Z]+$/.test(what)
      ? await fetch(control.url + path, { method: what })
      : await post(path, what);
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(await response.json()).toMatchObject({ status, detail: expect.stringMatching(detail) });
  });

  test.each([
    ['a foreign Host header', { host: 'evil.example' }],
    ['a page of another site', { origin: 'http://evil.example' }],
    ['a page of another port of this machine', { origin: 'http://localhost:3000' }],
    ['a page without an origin', { origin: 'null' }],
    ['a link or an image of another site', { 'sec-fetch-site': 'cross-site' }],
  ])('%s', async (_, headers) => {
    const status = await new Promise((resolve) => {
      request(`${control.url}/v1/state`, { headers }, (response) => resolve(response.statusCode)).end();
    });
    expect(status).toBe(403);
  });

  test('other names than its own, also beyond this machine', async () => {
    const open = { listen: '0.0.0.0:0', allowRemote: true, hosts: ['Mockri'], routes: [healthRoute()] };
    const remote = await startControl(open);
    const port = new URL(remote.url).port;
    const ask = (host: string) =>
      new Promise((resolve) => {
        const options = { host: '127.0.0.1', port, path: '/healthz', headers: { host } };
        request(options, (response) => resolve(response.resume().statusCode)).end();
      });
    for (const host of ['evil.example', 'mockri.evil.example', 'evil.example:80'])
      expect([host, await ask(host)]).toEqual([host, 403]);
    for (const host of ['mockri', `mockri:${port}`, '10.0.0.7:1', '[fd00::7]:1', 'localhost', hostname()])
      expect([host, await ask(host)]).toEqual([host, 200]);
    await remote.close();
  });

  test.each(['0.0.0.0:0', 'localhost', '127.0.0.1:70000'])('to listen on %s', async (listen) => {
    await expect(startControl({ listen, routes: [] })).rejects.toThrow(
      /anyone on the network|write host:port/,
    );
  });
});
