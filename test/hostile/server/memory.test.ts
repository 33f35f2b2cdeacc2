import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, connect as connectHttp2 } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { SPDY, type Upgraded, upgrade } from '../../integration/streaming/spdy-client.js';
import { eventually } from '../../support/eventually.js';
import { useTemporaryDirectories } from '../../support/temporary.js';
import { PREFACE } from '../http2.js';
import { growsAtMost, killVictims, startVictim, type Victim } from '../kit.js';

const temporary = useTemporaryDirectories();
const sockets = new Set<Socket>();
afterEach(() => {
  killVictims();
  for (const socket of sockets) socket.destroy();
  sockets.clear();
});

const MIB = 1024 * 1024;
/** What the server may grow by: 256 MiB of messages, once as they come and once as grpc-js puts them together. */
const MOST_GROWTH = 1024 * MIB;

async function session(victim: Victim): Promise<ClientHttp2Session> {
  const socket = connect(victim.socket);
  sockets.add(socket);
  socket.on('error', () => {});
  const made = connectHttp2('http://localhost', { createConnection: () => socket });
  made.on('error', () => {});
  await once(made, 'connect');
  return made;
}

function request(on: ClientHttp2Session, path: string): ClientHttp2Stream | undefined {
  if (on.destroyed) return undefined;
  const headers = { ':method': 'POST', 'content-type': 'application/grpc', te: 'trailers' };
  const stream = on.request({ ...headers, ':path': `/runtime.v1.RuntimeService/${path}` });
  return stream.on('error', () => {});
}

it('resets connections with unfinished messages instead of holding them all', async () => {
  const victim = await startVictim(temporary());
  const part = Buffer.alloc(15 * MIB);
  const prefix = Buffer.from([0, 1, 0, 0, 0]);
  const half = async () => {
    const on = await session(victim);
    const sent = Array.from({ length: 10 }, async () => {
      const stream = request(on, 'CreateContainer');
      if (stream === undefined) return;
      stream.write(prefix);
      await Promise.race([new Promise((resolve) => stream.write(part, resolve)), once(stream, 'close')]);
    });
    await Promise.allSettled(sent);
  };
  await growsAtMost(MOST_GROWTH, victim, Promise.allSettled(Array.from({ length: 30 }, half)));
  await victim.version();
  for (const socket of sockets) socket.destroy();
  expect(await victim.stop()).toBe(0);
});

it('resets connections that do not read their replies', async () => {
  const victim = await startVictim(temporary());
  for (let n = 0; n < 20; n++) {
    const labels = { long: 'x'.repeat(200_000) };
    const config = { metadata: { name: `l${n}`, attempt: 0 }, image: { image: 'busybox:1' }, labels };
    const { podSandboxId, pod: sandboxConfig } = victim;
    await victim.cri.createContainer({ podSandboxId, sandboxConfig, config });
  }
  const list = async () => {
    const { podSandboxId, pod: sandboxConfig } = victim;
    const clients = await Promise.all(Array.from({ length: 10 }, () => session(victim)));
    // 300 replies of 4 MB, of which the clients take no byte. Each is another list, so that none is shared.
    for (let n = 0; n < 300; n++) {
      const stream = request(clients[n % 10] as ClientHttp2Session, 'ListContainers');
      stream?.pause();
      stream?.end(Buffer.alloc(5));
      const config = { metadata: { name: `s${n}`, attempt: 0 }, image: { image: 'busybox:1' } };
      await victim.cri.createContainer({ podSandboxId, sandboxConfig, config });
    }
    // Answered after the lists have been asked for.
    await victim.version();
  };
  await growsAtMost(MOST_GROWTH, victim, list());
  await victim.version();
  for (const socket of sockets) socket.destroy();
  expect(await victim.stop()).toBe(0);
});

it('closes the longest idle connection when there are too many', async () => {
  const victim = await startVictim(temporary(), [], 256);
  for (let n = 0; n < 1200; n++) {
    const socket = connect(victim.socket);
    sockets.add(socket);
    socket.on('error', () => {});
    await once(socket, 'connect');
    socket.write(PREFACE);
    if (n % 100 === 0) await victim.version();
  }
  expect(victim.descriptors()).toBeLessThan(256);
  const containerId = await victim.container('echo hello');
  expect(containerId).toBeTruthy();
  for (const socket of sockets) socket.destroy();
  expect(await victim.stop()).toBe(0);
});

const MASKED_PING = Buffer.concat([Buffer.from([0x89, 0x80 | 100, 0, 0, 0, 0]), Buffer.alloc(100)]);
/** A SPDY PING with an odd id, which wants an answer. */
const SPDY_PING = Buffer.from('80030006' + '00000004' + '00000001', 'hex');

/** Requests of clients that do not read, and what they flood the server with. */
const floods: Readonly<Record<string, readonly [Record<string, string>, Buffer]>> = {
  SPDY: [{ ...SPDY, 'X-Stream-Protocol-Version': 'portforward.k8s.io' }, SPDY_PING],
  WebSocket: [
    {
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==',
      'Sec-WebSocket-Protocol': 'v4.channel.k8s.io',
    },
    MASKED_PING,
  ],
};

it.each(Object.entries(floods))(
  'cuts off a %s client that sends PINGs and reads no answer',
  async (_, [headers, ping]) => {
    const victim = await startVictim(temporary());
    const { podSandboxId } = victim;
    await victim.container('nc -lk -p 80 -e cat');
    const { url } = await victim.cri.portForward({ podSandboxId, port: [80] });
    const { socket } = (await upgrade(url, headers, 'GET')) as Upgraded;
    socket.on('error', () => {}).pause();
    sockets.add(socket);
    const pings = Buffer.alloc(MIB, ping);
    const flood = async () => {
      for (let sent = 0; sent < 60 && !socket.destroyed; sent++) {
        const written = new Promise((resolve) =>
          socket.write(pings.subarray(0, MIB - (MIB % ping.length)), resolve),
        );
        await Promise.race([written, once(socket, 'close').catch(() => {})]);
      }
    };
    await growsAtMost(150 * MIB, victim, flood());
    expect(socket.destroyed).toBe(true);
    expect(await victim.stop()).toBe(0);
  },
);

/** RESOURCE_EXHAUSTED */
const EXHAUSTED = { code: 8 };

it('refuses pods whose configs would take all memory until others are removed', async () => {
  const victim = await startVictim(temporary());
  const annotations = { long: 'x'.repeat(15 * MIB) };
  const run = (n: number) => {
    const metadata = { name: `p${n}`, uid: `u${n}`, namespace: 'default', attempt: 0 };
    return victim.cri.runPodSandbox({ config: { metadata, annotations } });
  };
  const pods: string[] = [];
  for (let n = 0; n < 17; n++) pods.push((await run(n)).podSandboxId);
  await expect(run(17)).rejects.toMatchObject(EXHAUSTED);
  // There is still memory for one that takes little.
  await victim.container('sleep 1');
  for (const podSandboxId of pods.splice(0, 2)) await victim.cri.removePodSandbox({ podSandboxId });
  await run(19);
  expect(await victim.stop()).toBe(0);
});

it('refuses commands that would wait for their clients in large numbers', async () => {
  const victim = await startVictim(temporary());
  const containerId = await victim.container('sleep 1000');
  const exec = () =>
    victim.cri.exec({ containerId, cmd: ['x'.repeat(15 * MIB)], stdin: false, stdout: true, stderr: true });
  await exec();
  await expect(exec()).rejects.toMatchObject(EXHAUSTED);
  expect(await victim.stop()).toBe(0);
});

it('answers 503 while clients leave large replies unread', async () => {
  const victim = await startVictim(temporary(), ['--control', '127.0.0.1:0']);
  const metadata = { name: 'p', uid: 'u', namespace: 'default', attempt: 0 };
  await victim.cri.runPodSandbox({ config: { metadata, labels: { long: 'x'.repeat(10 * MIB) } } });
  const { port } = new URL(victim.control as string);
  const readers = Array.from({ length: 20 }, () => connect(Number(port), '127.0.0.1'));
  for (const reader of readers) {
    sockets.add(reader);
    reader.on('error', () => {}).write('GET /v1/state HTTP/1.1\r\nHost: localhost\r\n\r\n');
  }
  await Promise.all(readers.map((reader) => once(reader, 'readable')));
  expect((await fetch(`${victim.control}/v1/state`)).status).toBe(503);
  for (const reader of readers) reader.destroy();
  await eventually(async () => expect((await fetch(`${victim.control}/v1/state`)).status).toBe(200));
  expect(await victim.stop()).toBe(0);
});
