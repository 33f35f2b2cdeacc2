import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { Clock } from '../../../src/base/clock/clock.js';
import { createRealClock } from '../../../src/base/clock/real-clock.js';
import { createVirtualClock } from '../../../src/base/clock/virtual-clock.js';
import type { StreamingServer } from '../../../src/runtime/engine/streaming.js';
import { type StreamingServerOptions, startStreamingServer } from '../../../src/runtime/streaming/server.js';
import { eventually } from '../../support/eventually.js';
import { countOf } from '../../support/thorough.js';
import { untilStill } from '../../support/turns.js';
import { EXEC, testHandler } from './handler.js';
import { openSession, SPDY, SpdyClient, upgrade, V4 } from './spdy-client.js';

const SESSIONS = countOf(200, 50);

const command = ['echo'];
const offer = { ...SPDY, 'X-Stream-Protocol-Version': V4 };
let server: StreamingServer;

async function start(options: Partial<StreamingServerOptions> = {}): Promise<StreamingServer> {
  server = await startStreamingServer({ handler: testHandler(), clock: createRealClock(), ...options });
  return server;
}
afterEach(() => server.close());

describe('tokens', () => {
  it('are 128 random bits, each valid once', async () => {
    const { execUrl } = await start();
    const url = execUrl({ ...EXEC, command });
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/exec\/[\w-]{22}$/);
    expect(url).not.toBe(execUrl({ ...EXEC, command }));
    (await SpdyClient.connect(url)).close();
    expect(await upgrade(url, offer)).toMatchObject({ status: 404 });
  });

  it('are consumed by a failed request, and are valid for one kind of request', async () => {
    const { execUrl, attachUrl } = await start();
    const url = execUrl({ ...EXEC, command });
    expect(await upgrade(url, SPDY)).toMatchObject({ status: 400 });
    expect(await upgrade(url, offer)).toMatchObject({ status: 404 });
    const other = attachUrl(EXEC).replace('/attach/', '/exec/');
    expect(await upgrade(other, offer)).toMatchObject({ status: 404 });
  });

  it('expire after a minute', async () => {
    const clock = createVirtualClock();
    const { execUrl } = await start({ clock });
    const [late, early] = [execUrl({ ...EXEC, command }), execUrl({ ...EXEC, command })];
    await clock.advance(59_999);
    (await SpdyClient.connect(early)).close();
    await clock.advance(1);
    expect(await upgrade(late, offer)).toMatchObject({ status: 404 });
  });

  it('are limited to a thousand, until they expire', async () => {
    const clock = createVirtualClock();
    const { execUrl } = await start({ clock });
    for (let count = 0; count < 1000; count++) execUrl({ ...EXEC, command });
    expect(() => execUrl({ ...EXEC, command })).toThrow(
      expect.objectContaining({
        kind: 'exhausted',
        message: 'maximum number of in-flight requests exceeded',
      }),
    );
    await clock.advance(60_000);
    expect(execUrl({ ...EXEC, command })).toContain('/exec/');
  });
});

describe('requests', () => {
  it('support only GET and POST', async () => {
    const { execUrl } = await start();
    for (const method of ['GET', 'POST']) {
      const result = await upgrade(execUrl({ ...EXEC, command }), offer, method);
      expect(result).toMatchObject({ protocol: V4 });
      if ('socket' in result) result.socket.destroy();
    }
    expect(await upgrade(execUrl({ ...EXEC, command }), offer, 'PUT')).toMatchObject({ status: 405 });
  });

  it('need a Host header with this machine', async () => {
    const { execUrl } = await start();
    const url = execUrl({ ...EXEC, command });
    for (const Host of ['evil.example', 'evil.example:80', '127.0.0.1.evil.example'])
      expect(await upgrade(url, { ...offer, Host })).toMatchObject({ status: 403 });
    const result = await upgrade(url, { ...offer, Host: 'localhost:1' });
    expect(result).toMatchObject({ protocol: V4 });
  });

  it('get the first known protocol they offer, or 403 with the known protocols', async () => {
    const { execUrl } = await start();
    const ask = (...protocols: string[]) =>
      upgrade(execUrl({ ...EXEC, command }), { ...SPDY, 'X-Stream-Protocol-Version': protocols });
    const several = await ask('v5.channel.k8s.io', 'v3.channel.k8s.io', V4);
    expect(several).toMatchObject({ protocol: 'v3.channel.k8s.io' });
    expect(await ask('v5.channel.k8s.io')).toMatchObject({
      status: 403,
      headers: {
        'x-accepted-stream-protocol-versions':
          'v4.channel.k8s.io, v3.channel.k8s.io, v2.channel.k8s.io, channel.k8s.io',
      },
    });
  });

  it('must request an upgrade to a known protocol', async () => {
    const { execUrl } = await start();
    const plain = await fetch(execUrl({ ...EXEC, command }), { method: 'POST' });
    expect(plain.status).toBe(400);
    expect(await upgrade(execUrl({ ...EXEC, command }), { Upgrade: 'h2c' })).toMatchObject({ status: 400 });
    expect((await fetch(`http://${server.address}/metrics`)).status).toBe(404);
  });
});

describe('limits', () => {
  it('closes a session whose streams are not opened', async () => {
    const clock = createVirtualClock();
    const { execUrl } = await start({ clock });
    const client = await SpdyClient.connect(execUrl({ ...EXEC, command }));
    await openSession(client, 'stdout');
    await client.until(() => client.frames.length === 2);
    await clock.advance(30_000);
    await eventually(() => client.frames.map(({ kind }) => kind)).toContain('goaway');
    client.close();
  });

  it('closes the oldest of too many connections without a request, and serves others', async () => {
    const { execUrl, address } = await start({ limits: { halfOpenConnections: 20 } });
    const sockets: Socket[] = [];
    for (let count = 0; count < 100; count++) sockets.push(await dial(address));
    await Promise.all(sockets.slice(0, 80).map((socket) => socket.closed || once(socket, 'close')));
    expect(sockets.slice(80).some((socket) => socket.closed)).toBe(false);
    const client = await SpdyClient.connect(execUrl({ ...EXEC, command }));
    const ids = await openSession(client, 'stdout', 'stderr');
    await client.ended(ids.error);
    client.close();
    for (const socket of sockets) socket.destroy();
  });

  it('closes a connection without a request in time', async () => {
    const clock = createVirtualClock();
    const { address } = await start({ clock });
    const socket = await dial(address);
    socket.write('GET /exec/');
    const answered = await fetch(`http://${address}/`);
    expect(answered.status).toBe(404);
    const closed = once(socket, 'close');
    await clock.advance(10_000);
    await closed;
  });

  it(`serves ${SESSIONS} parallel sessions, and frees everything when clients disappear`, async () => {
    const handler = testHandler();
    const { execUrl } = await start({ handler });
    const clients = await Promise.all(
      Array.from({ length: SESSIONS }, async (_, number) => {
        const url = execUrl({ ...EXEC, stdin: true, stderr: false, command: ['cat'] });
        const client = await SpdyClient.connect(url);
        const ids = await openSession(client, 'stdin', 'stdout');
        await client.send(ids.stdin, `number ${number}`);
        await client.until(() => client.text(ids.stdout) === `number ${number}`);
        return client;
      }),
    );
    expect(handler.running).toBe(SESSIONS);
    for (const client of clients) client.close();
    await server.close();
    expect(handler.running).toBe(0);
  });

  it('applies back-pressure to a client whose input is not read', async () => {
    const handler = testHandler();
    const { execUrl } = await start({ handler });
    const url = execUrl({ ...EXEC, stdin: true, stderr: false, command: ['hang'] });
    const client = await SpdyClient.connect(url);
    const { stdin } = await openSession(client, 'stdin', 'stdout');
    let sent = 0;
    const block = Buffer.alloc(1 << 20);
    const flood = (async () => {
      for (; sent < 256; sent++) await client.send(stdin, block);
    })();
    const outcome = await Promise.race([
      flood.then(() => 'all taken'),
      once(client.socket, 'drain').then(() => untilStill(() => sent, 2000).then(() => 'waiting')),
    ]);
    expect(outcome).toBe('waiting');
    expect(sent).toBeLessThan(64);
    client.close();
    await flood.catch(() => {});
  });
});

it('leaves no timer after it is closed', async () => {
  const clock = createRealClock();
  const timers = new Set<object>();
  const counting: Clock = {
    ...clock,
    setTimer: (delay, callback) => {
      const timer = clock.setTimer(delay, callback);
      timers.add(timer);
      return {
        cancel: () => {
          timers.delete(timer);
          timer.cancel();
        },
      };
    },
  };
  const { address, execUrl } = await start({ clock: counting });
  await dial(address);
  const client = await SpdyClient.connect(execUrl({ ...EXEC, command: ['hang'] }));
  await openSession(client, 'stdout', 'stderr');
  const waiting = await SpdyClient.connect(execUrl({ ...EXEC, command }));
  await openSession(waiting, 'stdout');
  expect(timers.size).toBeGreaterThanOrEqual(3);
  await server.close();
  expect(timers.size).toBe(0);
});

async function dial(address: string): Promise<Socket> {
  const url = new URL(`http://${address}`);
  const socket = connect(Number(url.port), url.hostname);
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}
