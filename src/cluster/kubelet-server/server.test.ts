import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { eventually } from '../../../test/support/eventually.js';
import { useTemporaryDirectory } from '../../../test/support/temporary.js';
import { until, untilStill } from '../../../test/support/turns.js';
import { selfSigned } from '../../base/certificates/keyed-certificate.js';
import type { Clock } from '../../base/clock/clock.js';
import { createRealClock } from '../../base/clock/real-clock.js';
import { createVirtualClock } from '../../base/clock/virtual-clock.js';
import { createRandom } from '../../base/random/random.js';
import { createNodeFiles } from '../../kubelet/disk/node-files.js';
import { kubeletSettings } from '../../kubelet/hosts/settings.js';
import { parseManifest } from '../../kubelet/pods/manifest.js';
import { parseShorthand } from '../../runtime/faults/language/shorthand.js';
import { readRules } from '../../runtime/faults/language/written-rule.js';
import { nodeSubject } from '../certificates/node-identities.js';
import type { ClusterNode } from '../node/cluster-node.js';
import { openNode } from '../node/open-node.js';
import { type KubeletServer, startKubeletServer } from './server.js';

const MANIFEST = `
apiVersion: v1
kind: Pod
metadata: {name: web, uid: u1}
spec:
  containers:
    - {name: app, image: busybox:1, command: [sh, -c, "echo one; echo two; echo three; sleep 3600"]}
    - {name: steady, image: nginx:1}
`;

const clock = createRealClock();
const tls = selfSigned(nodeSubject('mock-1', ['127.0.0.1']), Number(clock.now() / 1_000_000n));
const directory = useTemporaryDirectory();
let node: ClusterNode;
let server: KubeletServer;
let port: number;
let closed: KubeletServer;
let closedPort: number;

beforeAll(async () => {
  const { pods } = parseManifest(MANIFEST, 'pod.yaml', { nodeName: 'mock-1', now: clock.now() });
  node = await openNode({
    name: 'mock-1',
    clock,
    random: createRandom(1),
    settings: kubeletSettings(),
    files: createNodeFiles({ rootDir: directory, podLogsDir: join(directory, 'logs') }),
    podSource: {
      start: (deliver) => {
        deliver(pods);
        return () => {};
      },
    },
  });
  const options = {
    clock,
    host: '127.0.0.1',
    tls,
    log: () => {},
  };
  server = startKubeletServer({ ...options, access: { kind: 'anonymous' } });
  const reviews = {
    authenticate: async (token: string) =>
      token === 'bad' ? undefined : { username: token, groups: ['system:authenticated'] },
    authorize: async ({ username }: { username: string }, { subresource }: { subresource: string }) =>
      username === subresource,
  };
  closed = startKubeletServer({ ...options, access: { kind: 'reviewed', reviews } });
  port = await server.listen(0);
  server.serve(port, node);
  closedPort = await closed.listen(0);
  closed.serve(closedPort, node);
  await node.startKubelet();
  await vi.waitUntil(() => node.pods()[0]?.status?.phase === 'Running', { timeout: 300_000, interval: 20 });
});
afterAll(async () => {
  await Promise.all([server.close(), closed.close(), node.close()]);
});

interface Options {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly at?: number;
  readonly agent?: Agent;
}

function open(path: string, { at = port, ...options }: Options = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port: at, path, rejectUnauthorized: false, ...options }, resolve)
      .on('error', reject)
      .end();
  });
}

async function get(path: string, options?: Options) {
  const answer = await open(path, options);
  return { status: answer.statusCode, body: await text(answer) };
}

const LOG = '/containerLogs/default/web-mock-1/app';
const log = (query: string) => get(`${LOG}${query}`);

test('a log is shown whole, in part, and with timestamps', async () => {
  await eventually(async () => (await log('')).body).toBe('one\ntwo\nthree\n');
  expect((await log('?tailLines=2')).body).toBe('two\nthree\n');
  expect((await log('?tailLines=0')).body).toBe('');
  expect((await log('?tail=all')).body).toBe('one\ntwo\nthree\n');
  expect((await log('?limitBytes=5')).body).toBe('one\nt');
  expect((await log('?tailLines=1&timestamps=true')).body).toMatch(
    /^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{9}Z three\n$/,
  );
  expect((await log('?sinceTime=2100-01-01T00:00:00Z')).body).toBe('');
  expect((await log('?sinceSeconds=3600')).body).toBe('one\ntwo\nthree\n');
});

test('what a log has no part of is refused with the texts of the kubelet', async () => {
  expect(await log('?tailLines=-1')).toEqual({ status: 422, body: '{"message": "Invalid request."}' });
  expect(await log('?tailLines=x')).toEqual({ status: 400, body: '{"message": "Unable to decode query."}' });
  expect((await log('?limitBytes=0')).status).toBe(422);
  expect((await log('?sinceSeconds=5&sinceTime=2026-01-01T00:00:00Z')).status).toBe(422);
  expect(await log('?previous=true')).toEqual({
    status: 400,
    body: 'previous terminated container "app" in pod "web-mock-1" not found',
  });
  expect(await get('/containerLogs/default/none/app')).toEqual({
    status: 404,
    body: 'pod "none" does not exist',
  });
  expect(await get('/containerLogs/default/web-mock-1/none')).toEqual({
    status: 404,
    body: 'container "none" not found in pod "web-mock-1"',
  });
});

test('a log that is followed continues, and ends with its container', async () => {
  const { containers } = await node.cri.listContainers({});
  const containerId = containers.find(({ metadata }) => metadata?.name === 'app')?.id ?? '';
  const pieces = (await open(`${LOG}?follow=true&tailLines=1`))[Symbol.asyncIterator]();
  expect(String((await pieces.next()).value)).toBe('three\n');
  await node.cri.execSync({ containerId, cmd: ['sh', '-c', 'echo four >/proc/1/fd/1'], timeout: 0n });
  expect(String((await pieces.next()).value)).toBe('four\n');
  await node.cri.stopContainer({ containerId, timeout: 0n });
  expect((await pieces.next()).done).toBe(true);
  await eventually(async () => (await log('?previous=true')).body).toContain('four\n');
});

test('pods, health, usage and metrics', async () => {
  const pods = JSON.parse((await get('/pods')).body);
  expect(pods).toMatchObject({ kind: 'PodList', items: [{ metadata: { name: 'web-mock-1' } }] });
  expect(JSON.parse((await get('/runningpods/')).body).items).toHaveLength(1);
  expect(await get('/healthz')).toEqual({ status: 200, body: 'ok' });
  const summary = JSON.parse((await get('/stats/summary')).body);
  expect(summary).toMatchObject({
    node: { nodeName: 'mock-1', memory: { workingSetBytes: expect.any(Number) } },
    pods: [{ podRef: { name: 'web-mock-1', namespace: 'default', uid: 'u1' } }],
  });
  const metrics = (await get('/metrics/resource')).body;
  expect(metrics).toMatch(
    /^container_memory_working_set_bytes\{container="steady",namespace="default",pod="web-mock-1"\} \d+ \d{13}$/m,
  );
  expect(metrics).toMatch(/^container_start_time_seconds\{container="steady",[^}]*\} [\d.e+]+$/m);
  expect(metrics).toMatch(/^node_cpu_usage_seconds_total [\d.e+-]+ \d{13}$/m);
});

test('other paths and methods', async () => {
  for (const path of ['/none', '//', '//x:y/pods', '/%zz/x/y/z']) expect((await get(path)).status).toBe(404);
  expect((await get('/containerLogs/default/web-mock-1')).status).toBe(404);
  expect((await get('/run/default/web-mock-1/steady?cmd=ls')).status).toBe(405);
  expect((await get('/exec/default/web-mock-1/steady?output=1&command=ls')).status).toBe(500);
  expect(await get('/run/default/web-mock-1/steady?cmd=echo+hi', { method: 'POST' })).toEqual({
    status: 200,
    body: 'hi\n',
  });
  expect((await get('/run/default/web-mock-1/none?cmd=ls', { method: 'POST' })).body).toBe(
    'container not found ("none")',
  );
});

/** The channels of an exec over WebSocket, and the HTTP status when it is refused. */
function exec(path: string): Promise<Record<number, string> | number> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`wss://127.0.0.1:${port}${path}`, 'v5.channel.k8s.io', {
      rejectUnauthorized: false,
    });
    const channels: Record<number, string> = {};
    socket.on('message', (data: Buffer) => {
      const channel = data[0] ?? -1;
      channels[channel] = (channels[channel] ?? '') + data.subarray(1).toString();
    });
    socket.on('unexpected-response', (_, answer) => resolve(answer.statusCode ?? 0));
    socket.on('close', () => resolve(channels));
    socket.on('error', reject);
  });
}

test('exec runs a command, and tells its exit code', async () => {
  const command = '&command=sh&command=-c&command=echo+out;echo+err+>%262;exit+3';
  const channels = await exec(`/exec/default/web-mock-1/steady?output=1&error=1${command}`);
  expect(channels).toMatchObject({ 1: 'out\n', 2: 'err\n', 3: expect.stringContaining('"message":"3"') });
  expect(await exec('/exec/default/web-mock-1/steady?command=ls')).toBe(400);
  expect(await exec('/exec/default/web-mock-1/none?output=1&command=ls')).toBe(500);
  expect(await exec('/exec/default/none/steady?output=1&command=ls')).toBe(404);
  expect(await exec('/exec/default/web-mock-1/u2/steady?output=1&command=ls')).toBe(404);
});

/** An exec of cat, which sends back what it gets. */
async function cat() {
  const path = '/exec/default/web-mock-1/steady?input=1&output=1&command=cat';
  const socket = new WebSocket(`wss://127.0.0.1:${port}${path}`, 'v5.channel.k8s.io', {
    rejectUnauthorized: false,
  });
  let output = '';
  let status = '';
  socket
    .on('error', () => {})
    .on('message', (data: Buffer) => {
      if (data[0] === 1) output += data.subarray(1);
      if (data[0] === 3) status += data.subarray(1);
    });
  await once(socket, 'open');
  const send = (input: string) => socket.send(`\0${input}`);
  send('before');
  await eventually(() => output).toBe('before');
  return {
    send,
    output: () => output,
    status: () => status,
    isOver: () => socket.readyState === socket.CLOSED,
  };
}

describe('fault rules on the streams of a node', () => {
  const reset = () => node.assembly.faults.registry.reset();
  afterEach(reset);

  test('pause holds what a command says, until it is over', async () => {
    const { send, output } = await cat();
    addRules('time=pause');
    await until(() => node.assembly.faults.registry.list()[0]?.applied === 1);
    send(' during');
    await untilStill(() => output().length);
    expect(output()).toBe('before');
    reset();
    await eventually(output).toBe('before during');
  });

  test('restart and a reset of all connections end a session without its status', async () => {
    for (const rule of ['time=restart(1h)', 'time=reset']) {
      const { isOver, status } = await cat();
      addRules(rule);
      await eventually(isOver).toBe(true);
      expect(status()).toBe('');
      reset();
      await eventually(() => exec(ECHO)).toMatchObject({ 1: 'hi\n' });
    }
  });

  test('rules on sessions and on connections', async () => {
    addRules('Exec:session=corrupt');
    expect(await exec(ECHO)).toMatchObject({ 1: expect.not.stringContaining('hi'), 3: expect.any(String) });
    reset();
    addRules('Exec:session=reset');
    await expect(exec(ECHO)).resolves.not.toHaveProperty('3');
    reset();
    addRules('connection=refuse');
    expect(await exec(ECHO)).toBe(500);
    reset();
    addRules('connection=latency(1ms)');
    expect(await exec(ECHO)).toMatchObject({ 1: 'hi\n' });
  });
});

const ECHO = '/exec/default/web-mock-1/steady?output=1&command=echo&command=hi';
const addRules = (shorthand: string) =>
  node.assembly.faults.registry.add(readRules(parseShorthand(shorthand), 'test'), 'test');

test('a token is authenticated, and each path has its subresource', async () => {
  const as = (path: string, token: string) =>
    get(path, { at: closedPort, headers: { authorization: `Bearer ${token}` } });
  expect(await get('/pods', { at: closedPort })).toEqual({ status: 401, body: 'Unauthorized' });
  expect((await as('/pods', 'bad')).status).toBe(401);
  expect((await as('/pods', 'proxy')).status).toBe(200);
  expect((await as('/pods', 'pods')).status).toBe(200);
  expect(await as('/pods', 'stats')).toEqual({
    status: 403,
    body: 'Forbidden (user=stats, verb=get, resource=nodes, subresource(s)=[pods proxy])\n',
  });
  expect((await as('/stats/summary', 'stats')).status).toBe(200);
  expect((await as('/stats/summary', 'proxy')).status).toBe(403);
  expect((await as('/metrics/resource', 'metrics')).status).toBe(200);
});

test('a command ends with the client that asked for it', async () => {
  const pgrep = '/run/default/web-mock-1/steady?cmd=pgrep+-f+4242';
  const asked = request({
    host: '127.0.0.1',
    port,
    path: '/run/default/web-mock-1/steady?cmd=sleep+4242',
    method: 'POST',
    rejectUnauthorized: false,
  });
  asked.on('error', () => {}).end();
  await eventually(async () => (await get(pgrep, { method: 'POST' })).status).toBe(200);
  asked.destroy();
  await eventually(async () => (await get(pgrep, { method: 'POST' })).status).toBe(500);
});

test('connections are limited: of those without a request the oldest goes, of all the newest', async () => {
  const limited = startKubeletServer({
    clock,
    host: '127.0.0.1',
    tls,
    access: { kind: 'anonymous' },
    log: () => {},
    limits: { connections: 3, halfOpen: 2 },
  });
  const at = await limited.listen(0);
  limited.serve(at, node);
  const ended: string[] = [];
  const client = async (name: string): Promise<Socket> => {
    const socket = connect(at, '127.0.0.1');
    socket
      .on('error', () => {})
      .on('close', () => ended.push(name))
      .resume();
    await once(socket, 'connect');
    return socket;
  };
  const clients = [await client('first'), await client('second'), await client('third')];
  await eventually(() => ended).toEqual(['first']);
  // Requests make space: two of them and the one that is still silent are all that there may be.
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  const follow = () => open(`/containerLogs/default/web-mock-1/steady?follow=true`, { at, agent });
  clients[1]?.destroy();
  await eventually(() => ended).toEqual(['first', 'second']);
  const following = [await follow(), await follow()];
  await client('fourth');
  await eventually(() => ended).toEqual(['first', 'second', 'fourth']);
  for (const answer of following) answer.destroy();
  agent.destroy();
  await limited.close();
});

test('a connection without a request is closed after ten seconds', async () => {
  const virtual = createVirtualClock();
  const timers: number[] = [];
  const watched: Clock = {
    ...virtual,
    setTimer: (delay, action) => {
      timers.push(delay);
      return virtual.setTimer(delay, action);
    },
  };
  const access = { kind: 'anonymous' } as const;
  const silent = startKubeletServer({ clock: watched, host: '127.0.0.1', tls, access, log: () => {} });
  const socket = connect(await silent.listen(0), '127.0.0.1').on('error', () => {});
  socket.resume();
  await eventually(() => timers).toEqual([10_000]);
  await virtual.advance(10_000);
  await eventually(() => socket.closed).toBe(true);
  await silent.close();
});

test('a client that follows a log many times over one connection, without waiting, is cut off', async () => {
  const opened = vi.spyOn(node.files, 'openLog');
  const socket = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false });
  socket.on('error', () => {}).resume();
  socket.write(
    `GET /containerLogs/default/web-mock-1/steady?follow=true HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(50),
  );
  await eventually(() => socket.closed).toBe(true);
  await get('/healthz');
  expect(opened.mock.calls.length).toBeLessThan(10);
  opened.mockRestore();
});

test('while the kubelet does not run, connections are closed', async () => {
  node.stopKubelet();
  await expect(get('/healthz')).rejects.toThrow(/socket hang up|ECONNRESET/);
  await node.startKubelet();
  expect((await get('/healthz')).status).toBe(200);
});
