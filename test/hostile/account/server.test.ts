import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Duplex, Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { createRealClock } from '../../../src/base/clock/real-clock.js';
import { turn } from '../../../src/base/clock/turn.js';
import { createVirtualClock } from '../../../src/base/clock/virtual-clock.js';
import { Account, openAccounts } from '../../../src/base/input/account.js';
import { createReviewCache } from '../../../src/cluster/kubelet-server/review-cache.js';
import { connectCri } from '../../../src/cri/client/connect.js';
import { RunPodSandboxRequest } from '../../../src/cri/gen/runtime/v1/api.js';
import { Unread } from '../../../src/cri/spdy/unread.js';
import { BodyReader } from '../../../src/runtime/control/body.js';
import { CreateContainerResponse } from '../../../src/runtime/nri/gen/nri/v1alpha1/api.js';
import { startServer } from '../../../src/runtime/server/server.js';
import { startStreamingServer } from '../../../src/runtime/streaming/server.js';
import { pipeOf } from '../../../src/runtime/ttrpc/pipe.js';
import { createLineWriter } from '../../../src/tape/line-writer.js';
import { Message } from '../../../src/tape/message.js';
import { createRedactor } from '../../../src/tape/redact.js';
import { EXEC, testHandler } from '../../integration/streaming/handler.js';
import { createNriRig } from '../../support/nri/rig.js';
import { createTestNode } from '../../support/runtime/memory-node.js';
import { useTemporaryDirectories } from '../../support/temporary.js';
import { until } from '../../support/turns.js';

const temporary = useTemporaryDirectories();

it('a connection that holds all memory for requests is reset, and others are served', async () => {
  const { runtime } = await createTestNode();
  const socket = join(temporary(), 'cri.sock');
  const account = new Account(100_000);
  const server = await startServer({
    service: runtime.service,
    clock: createRealClock(),
    listen: `unix://${socket}`,
    account,
  });
  const [greedy, other] = [
    connectHttp2('http://localhost', { createConnection: () => connect(socket) }),
    connectCri(socket),
  ];
  onTestFinished(async () => {
    other.close();
    await server.close(0);
    await runtime.close();
  });
  await other.version({ version: '' });
  const headers = { ':method': 'POST', 'content-type': 'application/grpc', te: 'trailers' };
  const streams = Array.from({ length: 5 }, () => {
    const stream = greedy.request({ ...headers, ':path': '/runtime.v1.RuntimeService/CreateContainer' });
    stream.on('error', () => {}).write(Buffer.concat([Buffer.from([0, 1, 0, 0, 0]), Buffer.alloc(20_000)]));
    return stream;
  });
  greedy.on('error', () => {});
  await once(greedy, 'close');
  expect(streams.every((stream) => stream.destroyed)).toBe(true);
  expect((await other.version({ version: '' })).runtimeName).toBe('mockri');
});

it.each([
  ['variables', { env: Array.from({ length: 300 }, (_, n) => ({ key: `E${n}`, value: '' })) }],
  ['mounts', { mounts: Array.from({ length: 200 }, (_, n) => ({ destination: `/m${n}` })) }],
])('containers to which plugins add many %s: the newest is refused', async (_, adjust) => {
  const accounts = openAccounts(1024 * 1024);
  const rig = await createNriRig({ accounts });
  await rig.plugin('10', 'hostile', {
    createContainer: () => CreateContainerResponse.fromPartial({ adjust }),
  });
  const before = accounts.objects.used;
  let made = 0;
  const makeAll = async () => {
    for (; made < 100; made++) await rig.create(`c${made}`);
  };
  await expect(makeAll()).rejects.toMatchObject({ kind: 'exhausted' });
  expect(made).toBeGreaterThan(2);
  const { containers } = await rig.cri.listContainers({});
  expect(containers.length).toBe(made);
  for (const { id } of containers) await rig.cri.removeContainer({ containerId: id });
  expect(accounts.objects.used).toBe(before);
  await rig.create('again');
});

it('plugins that do not read: the data queued for all of them is bounded', () => {
  const account = new Account(10_000);
  const sockets = Array.from({ length: 10 }, () => new Duplex({ read: () => {}, write: () => {} }));
  for (const socket of sockets) pipeOf(socket, account).write(Buffer.alloc(4000));
  expect(sockets.map(({ destroyed }) => destroyed)).toEqual([false, false, ...Array(8).fill(true)]);
  expect(account.used).toBe(8000);
});

it('bodies of control requests share their memory, and release it', async () => {
  const account = new Account(10_000);
  const reader = new BodyReader(account);
  const request = (body: AsyncIterable<Buffer>) =>
    Object.assign(Readable.from(body), { headers: {} }) as never;
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  async function* slow() {
    yield Buffer.alloc(8000);
    await finished;
  }
  async function* quick() {
    yield Buffer.alloc(4000);
  }
  const first = reader.read(request(slow()));
  await turn();
  await expect(reader.read(request(quick()))).rejects.toMatchObject({ status: 503 });
  finish();
  expect((await first).length).toBe(8000);
  expect((await reader.read(request(quick()))).length).toBe(4000);
  expect(account.used).toBe(0);
});

it('unread streams: a connection beyond the memory limit is reset', () => {
  const account = new Account(10_000);
  const resets: number[] = [];
  const all = Array.from({ length: 4 }, (_, n) => new Unread(account, () => resets.push(n)));
  for (const unread of all) unread.add(4000);
  expect(resets).toEqual([2, 3]);
  all[0]?.close();
  expect(account.used).toBe(4000);
  all[1]?.add(-4000);
  expect(account.used).toBe(0);
});

it('WebSocket messages that never end: a connection beyond the memory limit is reset', async () => {
  const account = new Account(1_000_000);
  const server = await startStreamingServer({ handler: testHandler(), clock: createRealClock(), account });
  onTestFinished(() => server.close());
  const open = async () => {
    const socket = new WebSocket(
      server.execUrl({ ...EXEC, command: ['cat'], stdin: true }),
      'v5.channel.k8s.io',
    );
    socket.on('error', () => {});
    await once(socket, 'open');
    return socket;
  };
  const [first, second, third] = [await open(), await open(), await open()];
  first.send(Buffer.alloc(600_000), { fin: false });
  await until(() => account.used >= 600_000);
  second.send(Buffer.alloc(600_000), { fin: false });
  await once(second, 'close');
  await until(() => account.used < 700_000);
  // A ping in the middle makes nothing whole; what is whole and read is given back.
  first.ping('x');
  first.send(Buffer.alloc(100_000), { fin: false });
  await until(() => account.used >= 700_000);
  for (let message = 0; message < 20; message++) third.send(Buffer.alloc(100_000));
  third.ping();
  await once(third, 'pong');
  first.send(Buffer.alloc(1), { fin: true });
  await until(() => account.used === 0);
  first.close();
  third.close();
});

it('unknown tokens: none is kept, and few wait for the API server concurrently', async () => {
  let [asked, underWay, most] = [0, 0, 0];
  const ask = async () => {
    asked++;
    most = Math.max(most, ++underWay);
    await turn();
    underWay--;
    return undefined;
  };
  const cache = createReviewCache(createVirtualClock(), ask, () => 0);
  const results = await Promise.allSettled(
    Array.from({ length: 2000 }, (_, n) => cache.get(`${n}${'x'.repeat(1000)}`)),
  );
  expect(most).toBeLessThanOrEqual(20);
  expect(asked).toBeLessThan(200);
  expect(results.filter(({ status }) => status === 'rejected').length).toBe(2000 - asked);
  await cache.get('one more');
});

it('the tape writer keeps no written messages in memory', () => {
  setFlagsFromString('--expose-gc');
  const gc: () => void = runInNewContext('gc');
  const lineOf = createLineWriter(createRedactor(new Set(), Buffer.alloc(32)));
  const heap = () => {
    gc();
    return process.memoryUsage().heapUsed;
  };
  const before = heap();
  for (let n = 0; n < 300; n++) {
    const annotations = { long: `${n}`.padEnd(40_000, 'x') };
    const config = { metadata: { name: `p${n}`, uid: '', namespace: '', attempt: 0 }, annotations };
    const message = Message.of('RunPodSandbox', 'Request', RunPodSandboxRequest.fromPartial({ config }));
    lineOf({ t: n, kind: 'call', call: n, method: 'RunPodSandbox', connection: 1, message });
  }
  expect(heap() - before).toBeLessThan(3_000_000);
  lineOf({ t: 0, kind: 'step', text: 'the writer is still there' });
});
