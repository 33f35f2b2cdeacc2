import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { aPod } from '../../../test/support/kubelet/objects.js';
import type { PodApiStatus } from '../kubernetes/pod-status.js';
import { createKubeletMetrics } from '../metrics/metrics.js';
import { type ReadOnlyServer, startReadOnlyServer } from './read-only-server.js';

const NOW = 1_767_225_600_123_456_789n;
const status: PodApiStatus = {
  phase: 'Running',
  conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: NOW }],
  podIPs: ['127.64.0.1'],
  startTime: NOW,
  initContainerStatuses: [],
  containerStatuses: [
    {
      name: 'app',
      state: { kind: 'waiting', reason: 'CrashLoopBackOff', message: 'back-off' },
      lastState: {
        kind: 'terminated',
        exitCode: 1,
        reason: 'Error',
        message: '',
        startedAt: NOW,
        finishedAt: NOW,
        containerID: 'mockri://c1',
      },
      ready: false,
      started: false,
      restartCount: 3,
      image: 'busybox:1',
      imageID: 'sha256:1',
      containerID: 'mockri://c1',
    },
  ],
};

let server: ReadOnlyServer;
let problem: string | undefined;
beforeEach(async () => {
  problem = undefined;
  server = await startReadOnlyServer({
    address: '127.0.0.1',
    port: 0,
    hosts: ['node-1'],
    pods: () => [{ pod: aPod(), status }],
    metrics: createKubeletMetrics(36).render,
    health: () => problem,
  });
});
afterEach(() => server.close());

const get = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${server.port}${path}`, init);

test.each(['/', '//', '//x:y', '/%zz'])('%s is not found', async (path) => {
  expect((await get(path)).status).toBe(404);
});

test('/pods is a v1.PodList', async () => {
  const reply = await get('/pods');
  expect(reply.headers.get('content-type')).toBe('application/json');
  expect(await reply.json()).toMatchObject({
    kind: 'PodList',
    apiVersion: 'v1',
    items: [
      {
        metadata: { name: 'web', namespace: 'default', uid: 'uid-1' },
        spec: { containers: [{ name: 'app' }] },
        status: {
          phase: 'Running',
          podIP: '127.64.0.1',
          startTime: '2026-01-01T00:00:00Z',
          conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }],
          containerStatuses: [
            {
              restartCount: 3,
              state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off' } },
              lastState: { terminated: { exitCode: 1, reason: 'Error', finishedAt: '2026-01-01T00:00:00Z' } },
            },
          ],
        },
      },
    ],
  });
});

test('/healthz reports whether the sync loop makes progress', async () => {
  const well = await get('/healthz');
  expect([well.status, await well.text()]).toEqual([200, 'ok']);
  problem = 'sync Loop took longer than expected';
  const ill = await get('/healthz');
  expect(ill.status).toBe(500);
  expect(await ill.text()).toContain('sync Loop took longer than expected');
});

test('/metrics is Prometheus text', async () => {
  const reply = await get('/metrics/');
  expect(reply.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  expect(await reply.text()).toContain('# TYPE kubelet_running_pods gauge');
});

test('other requests are rejected', async () => {
  expect((await get('/exec')).status).toBe(404);
  expect((await get('/pods', { method: 'POST' })).status).toBe(405);
});

test('a client of HTTP/1.0 needs no Host', async () => {
  const socket = connect(server.port, '127.0.0.1').end('GET /healthz HTTP/1.0\r\n\r\n');
  expect(await text(socket)).toMatch(/^HTTP\/1.1 200 /);
});

test('a name that is not of this machine is refused, as a page in a browser could have it point here', async () => {
  const statusFor = (host: string) =>
    new Promise((resolve, reject) =>
      request({ port: server.port, path: '/pods', headers: { host } }, (reply) => {
        reply.resume();
        resolve(reply.statusCode);
      })
        .once('error', reject)
        .end(),
    );
  expect(await Promise.all(['evil.example', 'localhost', '10.0.0.1', 'Node-1:10255'].map(statusFor))).toEqual(
    [403, 200, 200, 200],
  );
});
