import { get, type IncomingHttpHeaders, request } from 'node:http';
import { createSecureServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { z } from 'zod';
import { selfSigned } from '../../../base/certificates/keyed-certificate.js';
import type { ClockedServer } from '../../../base/clock/network/http-server.js';
import { turn } from '../../../base/clock/turn.js';
import { createVirtualClock, type VirtualClock } from '../../../base/clock/virtual-clock.js';
import { clusterScenarioSchema } from '../file/schema.js';
import { createFaultRules } from './fault-rules.js';
import { openProxy } from './proxy.js';

/** An API server that answers with what it was asked, and streams the events of a watch. */
const subject = { commonName: 'kube-apiserver', organization: 'mockri', hosts: ['127.0.0.1'] };
const { cert, key } = selfSigned(subject, Date.UTC(2026, 0, 1));
let clock: VirtualClock;
let asked: string[];
let passed: IncomingHttpHeaders[];
let happened: string[];
let watches: ServerHttp2Stream[];
let server: ReturnType<typeof createSecureServer>;
let proxy: ClockedServer;

beforeEach(async () => {
  clock = createVirtualClock();
  [asked, passed, happened, watches] = [[], [], [], []];
  server = createSecureServer({ cert, key });
  server.on('connection', (socket) => clock.wires.follow(socket));
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {});
    passed.push(headers);
    let body = '';
    stream.setEncoding('utf8').on('data', (text) => {
      body += text;
    });
    stream.on('end', () => {
      asked.push(`${headers[':method']} ${headers[':path']} ${headers.authorization} ${body}`.trim());
      stream.respond({ ':status': 200, 'content-type': 'application/json' });
      if (headers[':path']?.includes('watch')) watches.push(stream);
      else stream.end('{"kind":"Pod"}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterEach(() => {
  proxy.close();
  server.close();
});

type Fault = z.input<typeof clusterScenarioSchema>['faults'];

async function open(faults: NonNullable<Fault>): Promise<void> {
  const file = { version: 1, cluster: { kubernetes: '1.37' }, until: '1m', faults } as const;
  proxy = await openProxy({
    clock,
    upstream: { port: (server.address() as AddressInfo).port, ca: cert },
    token: 'own',
    rules: createFaultRules(clusterScenarioSchema.parse(file).faults, 'operator'),
    elapsed: () => clock.elapsed(),
    answered: ({ verb, resource }, status) => happened.push(`${verb} ${resource} ${status ?? 'broken'}`),
    applied: (_, { fault }) => happened.push(fault),
    killed: () => happened.push('killed'),
    paused: (duration) => happened.push(`paused ${duration}`),
  });
}

const PODS = '/api/v1/namespaces/default/pods';
const program = 'operator';

/** A request of the program; resolves with what it gets, and the time in ms. */
function send(method: string, path: string, body = '', headers = {}): Promise<string> {
  return new Promise((resolve) => {
    const done = (text: string) => resolve(`${clock.elapsed()} ${text}`);
    const sent = request(`${proxy.url}${path}`, { method, headers }, async (answer) => {
      let text = '';
      for await (const chunk of answer) text += chunk;
      done(`${answer.statusCode} ${text}`);
    });
    sent.on('socket', (socket) => clock.wires.follow(socket)).on('error', () => done('broken'));
    sent.end(body);
  });
}

/** Waits until it holds, while the clock stands still. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await turn();
}

test('requests pass with their own token, or that of the program', async () => {
  await open([]);
  expect(await send('POST', PODS, '{"a":1}')).toBe('0 200 {"kind":"Pod"}');
  expect(await send('GET', '/version')).toBe('0 200 {"kind":"Pod"}');
  expect(asked).toEqual([`POST ${PODS} Bearer own {"a":1}`, 'GET /version Bearer own']);
  expect(happened).toEqual(['create pods 200', 'get /version 200']);
});

test.each([
  ['without the secret of its address', { path: PODS }],
  ['with another secret', { path: `/${'0'.repeat(32)}${PODS}` }],
  ['to a name that leads here', { headers: { host: 'rebound.example' } }],
  ['to another address', { headers: { host: '192.0.2.1' } }],
  ['of a web page', { headers: { origin: 'http://127.0.0.1:8080' } }],
  ['of a page without an origin', { headers: { origin: 'null' } }],
])('a request %s is refused, and gets no token', async (_, given) => {
  await open([]);
  const status = await new Promise((resolve, reject) => {
    const sent = request(`${proxy.url}${PODS}`, given, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    sent.on('error', reject).end();
  });
  expect({ status, asked, happened }).toEqual({ status: 403, asked: [], happened: [] });
});

test('headers of one connection end there', async () => {
  await open([]);
  const own = { te: 'gzip', 'proxy-connection': 'keep-alive', 'keep-alive': 'timeout=5' };
  const headers = { ...own, connection: 'keep-alive, X-Hop', 'x-hop': '1', 'x-kept': '2' };
  expect(await send('GET', PODS, '', headers)).toMatch(/ 200 /);
  expect(passed.at(-1)).toMatchObject({ 'x-kept': '2' });
  for (const name of [...Object.keys(own), 'connection', 'x-hop', 'host'])
    expect(passed.at(-1), name).not.toHaveProperty(name);
});

test('a path with an invalid escape goes to the API server as it is', async () => {
  await open([]);
  expect(await send('GET', '/api/v1/namespaces/%zz/pods')).toMatch(/ 200 /);
  expect(asked).toEqual(['GET /api/v1/namespaces/%zz/pods Bearer own']);
  expect(happened).toEqual(['list pods 200']);
});

test('the second request is late, the third is refused, and the fourth loses its reply', async () => {
  const match = { program, verb: 'create', resource: 'pods' } as const;
  await open([
    { name: 'late', match, when: { after: 1, times: 1 }, then: { delay: '5s' } },
    { name: 'refused', match, when: { after: 2, times: 1 }, then: { error: 409 } },
    { name: 'lost', match, when: { after: 3 }, then: { loseReply: true } },
  ]);
  expect(await send('POST', PODS)).toMatch(/^0 200/);
  const late = send('POST', PODS);
  await until(() => happened.includes('late'));
  await clock.advance(5000);
  expect(await late).toMatch(/^5000 200/);
  expect(await send('POST', PODS)).toMatch(/^5000 409 .*"reason":"Conflict","code":409/);
  expect(await send('POST', PODS)).toBe('5000 broken');
  expect(asked).toHaveLength(3);
  expect(happened.slice(1)).toEqual([
    ...['late', 'create pods 200', 'refused', 'create pods 409', 'lost', 'create pods broken'],
  ]);
});

test.each([
  ['before', 0],
  ['after', 1],
] as const)('a program is killed %s its first write', async (kill, passed) => {
  await open([{ name: 'crash', match: { program, verb: 'write' }, when: { times: 1 }, then: { kill } }]);
  expect(await send('GET', PODS)).toMatch(/ 200 /);
  expect(await send('PATCH', `${PODS}/web`, '{}')).toBe('0 broken');
  expect(asked).toHaveLength(1 + passed);
  expect(happened).toEqual(['list pods 200', 'crash', 'patch pods broken', 'killed']);
});

/** The program watches: what it has read, and when. */
async function watch(path = `${PODS}?watch=true`): Promise<string[]> {
  const seen: string[] = [];
  const sent = get(`${proxy.url}${path}`, (answer) => {
    answer.on('data', (text) => seen.push(`${clock.elapsed()} ${text}`));
    answer.on('close', () => seen.push(`${clock.elapsed()} closed`));
  });
  sent.on('socket', (socket) => clock.wires.follow(socket)).on('error', () => {});
  const before = watches.length;
  await until(() => watches.length > before);
  return seen;
}

test('late events of a watch keep their order, also with those that are not late', async () => {
  await open([
    { name: 'late', match: { program, watch: 'pods' }, when: { times: 1 }, then: { delay: '10s' } },
  ]);
  const seen = await watch();
  const others = await watch('/api/v1/services?watch=true');
  // A bookmark is none, and an event comes in two pieces.
  watches[0]?.write('{"type":"BOOKMARK"}\n');
  await until(() => seen.splice(0).includes('0 {"type":"BOOKMARK"}\n'));
  watches[0]?.write('{"type":"AD');
  watches[0]?.write('DED"}\n{"type":"DELETED"}\n');
  watches[1]?.write('{"type":"ADDED"}\n');
  await until(() => happened.includes('late') && others.length > 0);
  await clock.advance(9999);
  expect(seen).toEqual([]);
  await clock.advance(1);
  await until(() => seen.join('').includes('DELETED'));
  expect(seen.join('').replaceAll('10000 ', '')).toBe('{"type":"ADDED"}\n{"type":"DELETED"}\n');
  expect(others).toEqual(['0 {"type":"ADDED"}\n']);
});

test('an event comes twice, and a program is paused once the API server has its request', async () => {
  await open([
    { name: 'double', match: { program, watch: 'pods' }, when: { times: 1 }, then: { repeat: true } },
    { name: 'pause', match: { program, verb: 'create' }, then: { pause: '30s' } },
  ]);
  const seen = await watch();
  watches[0]?.write('{"n":1}\n{"n":2}\n');
  await until(() => seen.join('').includes('2'));
  expect(seen.join('').replaceAll('0 ', '')).toBe('{"n":1}\n{"n":1}\n{"n":2}\n');
  expect(await send('POST', PODS)).toMatch(/ 200 /);
  expect(happened.slice(-3)).toEqual(['pause', 'paused 30000', 'create pods 200']);
});

test('a watch breaks before an event, and lists and watches fail for a while', async () => {
  await open([
    {
      name: 'cut',
      match: { program, watch: 'pods' },
      when: { after: 1, times: 1 },
      then: { disconnect: '30s' },
    },
  ]);
  const seen = await watch();
  watches[0]?.write('{"n":1}\n{"n":2}\n');
  await until(() => seen.includes('0 closed'));
  expect(seen).toEqual(['0 {"n":1}\n', '0 closed']);
  expect(await send('GET', PODS)).toBe('0 broken');
  expect(await send('GET', `${PODS}/web`)).toMatch(/ 200 /);
  await clock.advance(30_000);
  expect(await send('GET', PODS)).toMatch(/ 200 /);
});
