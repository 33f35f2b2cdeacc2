import { get, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { createSecureServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { z } from 'zod';
import { selfSigned } from '../../../base/certificates/keyed-certificate.js';
import type { ClockedServer } from '../../../base/clock/network/http-server.js';
import { turn } from '../../../base/clock/turn.js';
import { createVirtualClock, type VirtualClock } from '../../../base/clock/virtual-clock.js';
import { clusterScenarioSchema } from '../file/schema.js';
import { createFaultRules } from './fault-rules.js';
import { History } from './history.js';
import { openProxy } from './proxy.js';
import { View } from './view.js';

/** An API server that answers with what it was asked, and streams the events of a watch. */
const subject = { commonName: 'kube-apiserver', organization: 'mockri', hosts: ['127.0.0.1'] };
const { cert, key } = selfSigned(subject, Date.UTC(2026, 0, 1));
let clock: VirtualClock;
let asked: string[];
let passed: IncomingHttpHeaders[];
let happened: string[];
let watches: ServerHttp2Stream[];
/** What it answers, by the beginning of the path. */
let answers: Record<string, string>;
let view: View;
let server: ReturnType<typeof createSecureServer>;
let proxy: ClockedServer;

beforeEach(async () => {
  clock = createVirtualClock();
  [asked, passed, happened, watches] = [[], [], [], []];
  answers = {};
  view = new View();
  server = createSecureServer({ cert, key, allowHTTP1: true });
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
      else stream.end(answerTo(headers[':path'] ?? '') ?? '{"kind":"Pod"}');
    });
  });
  server.on('upgrade', ({ method, url, headers }: IncomingMessage, socket: Duplex) => {
    asked.push(`${method} ${url} ${headers.authorization} ${headers.connection} ${headers.upgrade}`);
    if (url?.endsWith('none/exec')) return void socket.end('HTTP/1.1 404 Not Found\r\n\r\nno pod');
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\nhello');
    socket.pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

const answerTo = (path: string): string | undefined =>
  Object.entries(answers).find(([start]) => path.startsWith(start))?.[1];

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
    answered: ({ verb, resource, name }, status, unseen) => {
      happened.push(`${verb} ${resource} ${status ?? 'broken'}`);
      const changes = unseen.map(
        (each) =>
          `${each.type} ${each.resource}/${each.name} ${each.revision} at ${each.time}: ${each.cause.fault}`,
      );
      if (unseen.length > 0) happened.push(`${verb} ${name} ${status}, not shown: ${changes.join(', ')}`);
    },
    applied: (_, { fault }) => happened.push(fault),
    killed: () => happened.push('killed'),
    paused: (duration) => happened.push(`paused ${duration}`),
    view,
    history: new History(),
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

/** An event of a watch, in JSON. */
const event = (type: string, name: string, revision: number): string =>
  `${JSON.stringify({ type, object: { metadata: { name, namespace: 'default', resourceVersion: `${revision}` } } })}\n`;
const unseeing = () => happened.filter((text) => text.includes('not shown'));

test('a write is reported with the changes that a late watch had not shown, and with the name that its object got', async () => {
  answers[PODS] = '{"metadata":{"name":"web-x","resourceVersion":"9"}}';
  await open([
    { name: 'late', match: { program, watch: 'pods' }, when: { times: 1 }, then: { delay: '10s' } },
  ]);
  const seen = await watch();
  expect(await send('POST', PODS)).toMatch(/^0 200/);
  watches[0]?.write(event('ADDED', 'web-a', 5));
  await until(() => happened.includes('late'));
  await clock.advance(4000);
  // It is not late itself, but comes after one that is.
  watches[0]?.write(event('DELETED', 'web-b', 6) + event('BOOKMARK', '', 6));
  await until(() => view.hidden.size === 2);
  expect(await send('POST', PODS)).toMatch(/^4000 200/);
  const both = 'ADDED pods/web-a 5 at 0: late, DELETED pods/web-b 6 at 4000: late';
  expect(unseeing()).toEqual([`create web-x 200, not shown: ${both}`]);
  await clock.advance(6000);
  await until(() => seen.join('').includes('web-b'));
  expect(await send('POST', PODS)).toMatch(/^10000 200/);
  expect(unseeing()).toHaveLength(1);
});

test('late events of a watch that the program has ended come with the next one, or in a list', async () => {
  await open([{ name: 'late', match: { program, watch: 'pods' }, then: { delay: '10s' } }]);
  for (const next of ['list', 'watch']) {
    await watch();
    watches.at(-1)?.write(event('ADDED', 'web-a', 5));
    await until(() => view.hidden.size === 1);
    if (next === 'watch') await watch();
    else await send('GET', PODS);
    await until(() => view.hidden.size === 0);
  }
});

test('a broken watch has not shown what happened since, until a list or another watch shows it', async () => {
  await open([
    { name: 'cut', match: { program, watch: 'pods' }, when: { times: 1 }, then: { disconnect: '5s' } },
  ]);
  const seen = await watch();
  watches[0]?.write(event('ADDED', 'web-a', 5));
  await until(() => seen.includes('0 closed'));
  await clock.advance(5000);
  watches[0]?.write(event('MODIFIED', 'web-a', 6) + event('ADDED', 'web-b', 7));
  await until(() => view.hidden.size === 3);
  expect(await send('DELETE', `${PODS}/web-a`)).toMatch(/ 200 /);
  const first = 'ADDED pods/web-a 5 at 0: cut, MODIFIED pods/web-a 6 at 5000: cut';
  expect(unseeing().splice(0)).toEqual([
    `delete web-a 200, not shown: ${first}, ADDED pods/web-b 7 at 5000: cut`,
  ]);
  // It begins again where it broke.
  await watch(`${PODS}?watch=true&resourceVersion=4`);
  await until(() => watches[0]?.destroyed === true);
  watches[1]?.write(event('ADDED', 'web-a', 5));
  await until(() => view.hidden.size === 2);
  watches[1]?.write(event('MODIFIED', 'web-a', 6));
  await until(() => view.hidden.size === 1);
  expect(await send('GET', `${PODS}?labelSelector=a%3Db`)).toMatch(/ 200 /);
  expect(view.hidden.size).toBe(1);
  expect(await send('GET', PODS)).toMatch(/ 200 /);
  expect(view.hidden.size).toBe(0);
});

const POD_LIST =
  '{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":[{"metadata":{"name":"web-a"}}]}';
/** The first watch is not stale. */
const STALE = {
  name: 'old',
  match: { program, resource: 'pods' },
  when: { after: 1 },
  then: { stale: '60s' },
} as const;
const paths = () => asked.map((text) => text.split(' ')[1]);

/** What there was at the start, at 10 s and at 50 s. */
async function openWithHistory(faults: NonNullable<Fault>): Promise<void> {
  await open(faults);
  const seen = await watch('/api/v1/pods?watch=true');
  for (const [wait, text] of [
    [0, event('ADDED', 'web-a', 5)],
    [10_000, event('DELETED', 'web-a', 7)],
    [40_000, event('ADDED', 'web-b', 9)],
  ] as const) {
    await clock.advance(wait);
    const before = seen.length;
    watches[0]?.write(text);
    await until(() => seen.length > before);
  }
  asked.splice(0);
}

test('a stale list is that of the revision so long ago, and what came later is not shown', async () => {
  await openWithHistory([STALE]);
  answers[PODS] = POD_LIST;
  await clock.advance(15_000);
  expect(await send('GET', `${PODS}?resourceVersion=0&limit=5`)).toBe(`65000 200 ${POD_LIST}`);
  expect(paths()).toEqual([`${PODS}?resourceVersion=5&limit=5&resourceVersionMatch=Exact`]);
  await send('POST', PODS);
  expect(unseeing()).toEqual([
    expect.stringMatching('not shown: DELETED pods/web-a 7 at 10000: old, ADDED pods/web-b 9 at 50000: old$'),
  ]);
  // It is the same list that a list of a revision or its next page continues.
  await send('GET', `${PODS}?continue=abc`);
  await send('GET', `${PODS}?resourceVersion=4&resourceVersionMatch=Exact`);
  expect(paths().slice(2)).toEqual([
    `${PODS}?continue=abc`,
    `${PODS}?resourceVersion=4&resourceVersionMatch=Exact`,
  ]);
});

test('a stale get is of a list, and what did not exist is not found', async () => {
  await openWithHistory([STALE]);
  answers[`${PODS}?`] = POD_LIST;
  expect(await send('GET', `${PODS}/web-a`, '', { accept: 'application/vnd.kubernetes.protobuf, */*' })).toBe(
    '50000 200 {"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-a"}}',
  );
  expect(paths()).toEqual([
    `${PODS}?resourceVersion=0&resourceVersionMatch=Exact&fieldSelector=metadata.name%3Dweb-a`,
  ]);
  expect(passed.at(-1)?.accept).toBe('application/json');
  answers[`${PODS}?`] = POD_LIST.replace(/\[.*\]/, '[]');
  expect(await send('GET', `${PODS}/web-b`)).toMatch(/ 404 .*pods \\"web-b\\" not found/);
});

test('a watch that begins with a list shows the earlier state, its end, and then what happened since, as late', async () => {
  await openWithHistory([STALE]);
  answers[`${PODS}?allowWatchBookmarks`] = POD_LIST;
  await clock.advance(15_000);
  const query = 'allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true';
  const seen = await watch(`${PODS}?${query}&watch=true`);
  watches[1]?.write(event('DELETED', 'web-a', 7) + event('ADDED', 'web-b', 9));
  await until(() => [...view.hidden].filter(({ isLost }) => !isLost).length === 2);
  await clock.advance(5000);
  await until(() => seen.join('').includes('DELETED'));
  expect(seen.join('')).not.toContain('web-b');
  expect(paths()).toEqual([
    `${PODS}?allowWatchBookmarks=true&resourceVersion=5&resourceVersionMatch=Exact`,
    `${PODS}?allowWatchBookmarks=true&watch=true&resourceVersion=5`,
  ]);
  const objects = seen
    .join('')
    .replaceAll(/^(65|70)000 /gm, '')
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text));
  expect(objects.map(({ type, object }) => [type, object.kind, object.metadata])).toEqual([
    ['ADDED', 'Pod', { name: 'web-a' }],
    ['BOOKMARK', 'Pod', { resourceVersion: '5', annotations: { 'k8s.io/initial-events-end': 'true' } }],
    ['DELETED', undefined, expect.objectContaining({ name: 'web-a' })],
  ]);
  expect([...new Set([...view.hidden].map(({ name }) => name))]).toEqual(['web-b']);
  await clock.advance(40_000);
  await until(() => seen.at(-1)?.startsWith('110000 ') === true && view.hidden.size === 0);
});

test('a stale read that demands more waits for three seconds, and is refused if that is not enough', async () => {
  await openWithHistory([STALE]);
  await clock.advance(18_000);
  const refused = send('GET', `${PODS}?resourceVersion=9`);
  await until(() => happened.at(-1) === 'old');
  await clock.advance(3000);
  expect(await refused).toMatch(
    /^71000 504 .*Too large resource version: 9, current: 7.*"ResourceVersionTooLarge"/,
  );
  await clock.advance(37_000);
  const late = send('GET', `${PODS}?resourceVersion=9`);
  await until(() => happened.at(-1) === 'old');
  await clock.advance(3000);
  expect(await late).toMatch(/^111000 200/);
  expect(paths()).toEqual([`${PODS}?resourceVersion=9&resourceVersionMatch=Exact`]);
});

/** Asks for another protocol, as exec does; resolves with what the program reads. */
function upgrade(path: string): Promise<string> {
  return new Promise((resolve) => {
    const headers = { connection: 'Upgrade', upgrade: 'SPDY/3.1' };
    const sent = request(`${proxy.url}${path}`, { method: 'POST', headers });
    sent.on('upgrade', (_, socket, head) => {
      let text = String(head);
      socket.on('data', (bytes: Buffer) => {
        text += bytes;
        if (text === 'hello, again') socket.end();
      });
      socket.on('close', () => resolve(`101 ${text}`));
      socket.write(', again');
    });
    sent.on('response', async (answer) => {
      let text = '';
      for await (const chunk of answer) text += chunk;
      resolve(`${answer.statusCode} ${text}`);
    });
    sent.on('error', () => resolve('broken'));
    sent.end();
  });
}

test('exec changes to its own protocol, and a refusal of it arrives', async () => {
  await open([]);
  expect(await upgrade(`${PODS}/web/exec`)).toBe('101 hello, again');
  expect(await upgrade(`${PODS}/none/exec`)).toBe('404 no pod');
  expect(asked).toEqual([
    `POST ${PODS}/web/exec Bearer own Upgrade SPDY/3.1`,
    `POST ${PODS}/none/exec Bearer own Upgrade SPDY/3.1`,
  ]);
  expect(happened).toEqual(['create pods/exec 101', 'create pods/exec 404']);
});

test('exec has faults like other requests', async () => {
  const match = { program, resource: 'pods/exec' };
  await open([
    { name: 'refused', match, when: { times: 1 }, then: { error: 500 } },
    { name: 'lost', match, when: { after: 1, times: 1 }, then: { loseReply: true } },
  ]);
  expect(await upgrade(`${PODS}/web/exec`)).toMatch(/^500 .*"reason":"InternalError"/);
  expect(await upgrade(`${PODS}/web/exec`)).toBe('broken');
  expect(asked).toHaveLength(1);
  expect(happened).toEqual([...['refused', 'create pods/exec 500', 'lost', 'create pods/exec broken']]);
});
