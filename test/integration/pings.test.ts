import { once } from 'node:events';
import { type ClientHttp2Session, connect } from 'node:http2';
import { connect as connectSocket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { type Mockri, startMockri } from '../../src/testing/index.js';

const sessions: ClientHttp2Session[] = [];
afterEach(() => {
  for (const session of sessions.splice(0)) session.destroy();
});

async function dial({ endpoint }: Mockri): Promise<ClientHttp2Session> {
  const createConnection = () => connectSocket(endpoint.slice('unix://'.length));
  const session = connect('http://localhost', { createConnection }).on('error', () => {});
  sessions.push(session);
  await once(session, 'remoteSettings');
  return session;
}

const ping = (session: ClientHttp2Session) =>
  new Promise<void>((resolve, reject) => session.ping((error) => (error ? reject(error) : resolve())));

/** The numbers of pings that were answered before GOAWAY, and its code and text. */
async function pingUntilGone(session: ClientHttp2Session) {
  const goaway = once(session, 'goaway') as Promise<[number, number, Buffer]>;
  let answered = 0;
  while (!session.destroyed && answered < 10) {
    await ping(session).catch(() => {});
    answered++;
  }
  const [code, , text] = await goaway;
  return { answered, code, text: String(text) };
}

// grpc-go internal/transport/http2_server.go handlePing: more than two strikes; no keepalive without a call.
test.each(['containerd-2.4', 'cri-o-1.36', 'cri-dockerd-0.4'] as const)(
  '%s sends GOAWAY too_many_pings at the fourth ping',
  async (profile) => {
    await using mockri = await startMockri({ profile, latency: 'none' });
    const session = await dial(mockri);
    const { code, text, answered } = await pingUntilGone(session);
    expect([code, text]).toEqual([0xb, 'too_many_pings']);
    expect(answered).toBeLessThanOrEqual(5);
    if (!session.destroyed) await once(session, 'close');
  },
);

// grpc-go measures the bandwidth: a client pings when data arrives (internal/transport/bdp_estimator.go).
test('pings during a large reply are no strikes', async () => {
  await using mockri = await startMockri({ profile: 'containerd-2.4', latency: 'none' });
  mockri.fault('Version').reply({ pad: 8_000_000 });
  const session = await dial(mockri);
  const stream = session.request({
    ':method': 'POST',
    ':path': '/runtime.v1.RuntimeService/Version',
    'content-type': 'application/grpc',
  });
  stream.end(Buffer.alloc(5));
  let pings = 0;
  let waiting: Promise<void> | undefined;
  stream.on('data', () => {
    waiting ??= ping(session).then(() => {
      pings++;
      waiting = undefined;
    });
  });
  await once(stream, 'close');
  await waiting;
  expect(pings).toBeGreaterThan(4);
  expect(session.destroyed).toBe(false);
});

test('a reply starts the count again; strict keeps the connection, and the referee says so once', async () => {
  const ask = async (session: ClientHttp2Session) => {
    const stream = session.request({
      ':method': 'POST',
      ':path': '/runtime.v1.RuntimeService/Version',
      'content-type': 'application/grpc',
    });
    stream.end(Buffer.alloc(5));
    stream.resume();
    await once(stream, 'close');
  };
  await using mockri = await startMockri({ profile: 'containerd-2.4', latency: 'none' });
  const session = await dial(mockri);
  for (let round = 0; round < 4; round++) {
    await ask(session);
    await ping(session);
    await ping(session);
    await ping(session);
  }
  expect(session.destroyed).toBe(false);
  await using strict = await startMockri();
  const patient = await dial(strict);
  for (let round = 0; round < 8; round++) await ping(patient);
  expect(patient.destroyed).toBe(false);
  const said = strict.findings.filter(({ rule }) => rule === 'REF-09');
  expect(said).toHaveLength(1);
  expect(said[0]?.message).toContain('too_many_pings');
});
