import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { afterEach, expect, test } from 'vitest';
import { useTemporaryDirectories } from '../../../../test/support/temporary.js';
import { isThorough } from '../../../../test/support/thorough.js';
import { selfSigned } from '../../../base/certificates/keyed-certificate.js';
import { createVirtualClock } from '../../../base/clock/virtual-clock.js';
import { createApiObjects } from '../../../kubelet/api-server/objects.js';
import { startApiServer } from '../../../kubelet/api-server/server.js';
import { openEgress } from './egress.js';
import { openThinNodes } from './thin-nodes.js';

const slow = test.runIf(isThorough);

const temporary = useTemporaryDirectories();
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const PODS = '/api/v1/namespaces/default/pods';

/** Nodes and an API server on one clock, with real sockets between them. */
async function open(count: number) {
  const clock = createVirtualClock();
  const objects = createApiObjects();
  const server = await startApiServer({ objects, clock });
  ends.push(server.close);
  const urls = new Map(Array.from({ length: count }, (_, index) => [`node-${index + 1}`, server.url]));
  const tls = selfSigned({ commonName: 'nodes', organization: 'mockri', hosts: [] }, Date.UTC(2026, 0, 1));
  const options = { clock, urls, version: '1.37', seed: 1, directory: temporary(), tls, said: () => {} };
  const nodes = await openThinNodes(options);
  ends.push(nodes.close);
  void clock.run(nodes.start);
  const ready = () =>
    objects
      .list('/api/v1/nodes')
      .filter(({ status }) =>
        status.conditions.some((each: { type: string; status: string }) =>
          each.type === 'Ready' ? each.status === 'True' : false,
        ),
      ).length;
  return { clock, objects, nodes, ready };
}

slow('twenty nodes register, and run the pods that are bound to them', async () => {
  const { clock, objects, ready } = await open(20);
  expect(await clock.runUntil(() => ready() === 20, 60_000)).toBe(true);
  for (let index = 0; index < 40; index++)
    objects.put(`${PODS}/web-${index}`, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `web-${index}`, namespace: 'default', uid: `uid-${index}` },
      spec: {
        nodeName: `node-${1 + (index % 20)}`,
        containers: [{ name: 'web', image: 'nginx:1' }],
      },
      status: { phase: 'Pending' },
    });
  const running = () => objects.list(PODS).filter(({ status }) => status.phase === 'Running').length;
  expect(await clock.runUntil(() => running() === 40, 60_000)).toBe(true);
});

test('a killed kubelet renews no lease until it starts again, and its containers stay', async () => {
  const { clock, objects, nodes, ready } = await open(1);
  const lease = () =>
    objects.get('/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/node-1')?.spec.renewTime;
  expect(await clock.runUntil(() => ready() === 1 && lease() !== undefined, 60_000)).toBe(true);
  await nodes.programs.get('node-1')?.kill();
  const last = lease();
  await clock.advance(40_000);
  expect(lease()).toBe(last);
  nodes.programs.get('node-1')?.start();
  await clock.advance(15_000);
  expect(lease() > last).toBe(true);
});

/** What the API server reads that asks for an address, and then for a path. */
async function ask(egress: string, address: string, path: string): Promise<string> {
  const raw = connect(egress);
  raw.write(`CONNECT ${address} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
  const head = await new Promise<string>((resolve) => raw.once('data', (bytes) => resolve(String(bytes))));
  if (!head.startsWith('HTTP/1.1 200')) return head.split('\r\n')[0] ?? '';
  const tls = connectTls({ socket: raw, rejectUnauthorized: false });
  tls.write(`GET ${path} HTTP/1.1\r\nHost: ${address}\r\nConnection: close\r\n\r\n`);
  return text(tls);
}

test('the API server reaches the kubelet of each node, and nothing else', async () => {
  const { clock, nodes, ready } = await open(2);
  expect(await clock.runUntil(() => ready() === 2, 60_000)).toBe(true);
  const directory = temporary();
  const egress = await openEgress(clock, { directory, place: directory }, nodes.reach);
  ends.push(egress.close);
  const socket = join(directory, 'egress');
  expect(await ask(socket, '10.1.0.2:10250', '/healthz')).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*ok/);
  expect(await ask(socket, '10.1.0.3:10250', '/healthz')).toBe('HTTP/1.1 502 Bad Gateway');
  expect(await ask(socket, '10.0.0.7:443', '/')).toBe('HTTP/1.1 502 Bad Gateway');
});
