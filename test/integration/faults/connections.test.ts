import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { type CriConnection, connectCri } from '../../../src/cri/client/connect.js';
import type { Mockri } from '../../../src/testing/index.js';
import { eventually } from '../../support/eventually.js';
import { until } from '../../support/turns.js';
import { ending, useMockri } from './kit.js';

const mockri = useMockri();
const clients: CriConnection[] = [];

afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});

/** A client with a separate connection. */
function dial({ endpoint }: Mockri): CriConnection {
  const client = connectCri(endpoint);
  clients.push(client);
  return client;
}

/** Each on its own server: a client of grpc-js that was refused connects again a second later, even if it is closed. */
test.each(['refuse', 'reset'] as const)('%s: no connection succeeds, then all succeed', async (action) => {
  const m = await mockri();
  const rule = m.fault().on('connection').once()[action]();
  const refused = dial(m);
  expect(await ending(refused.version({}))).toMatch(/^UNAVAILABLE /);
  refused.close();
  expect(await ending(dial(m).version({}))).toBe('OK');
  expect(rule.counts).toMatchObject({ applied: 1, left: 0 });
});

test('goaway: the client gets SETTINGS and GOAWAY', async () => {
  const m = await mockri();
  m.fault().on('connection').once().goaway();
  const bytes = await firstBytes(m);
  // SETTINGS, then GOAWAY with NO_ERROR.
  expect(bytes.toString('hex')).toBe('0000000400000000000000080700000000000000000000000000');
  expect(await ending(dial(m).version({}))).toBe('OK');
});

test('stall: a connection waits until the removal of the rule', async () => {
  const m = await mockri();
  m.fault().on('connection').stall();
  const held = dial(m).version({});
  await until(() => serverConnections(m) === 1);
  expect(m.calls()).toEqual([]);
  m.reset();
  expect(await ending(held)).toBe('OK');
});

test('stall: a client can disconnect', async () => {
  const m = await mockri();
  m.fault().on('connection').stall();
  const socket = await open(m);
  socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
  await until(() => serverConnections(m) === 1);
  socket.end();
  await eventually(() => serverConnections(m)).toBe(0);
  expect(m.calls()).toEqual([]);
});

test('latency and throttle: every byte arrives, but later', async () => {
  const m = await mockri();
  m.fault().on('connection').once().latency({ duration: '40ms' });
  const slow = dial(m);
  const begun = m.clock.elapsed();
  await slow.version({});
  expect(m.clock.elapsed() - begun).toBeGreaterThanOrEqual(80);

  m.reset();
  m.fault('ListImages').reply({ pad: 100_000 });
  m.fault().on('connection').once().throttle({ bytesPerSecond: 400_000 });
  const narrow = dial(m);
  const before = m.clock.elapsed();
  await narrow.listImages({});
  expect(m.clock.elapsed() - before).toBeGreaterThanOrEqual(240);
  // After the removal of the rule, delayed bytes arrive immediately.
  m.fault().on('connection').once().throttle({ bytesPerSecond: 100 });
  const stuck = dial(m).version({});
  await until(() => serverConnections(m) === 3);
  m.reset();
  expect(await ending(stuck)).toBe('OK');
});

test('a shaped connection has a number, and can be broken', async () => {
  const m = await mockri();
  m.fault().on('connection').latency({ duration: '1ms' });
  const client = dial(m);
  await client.version({});
  expect(m.calls()).toMatchObject([{ connection: 1, peer: 'unix#1' }]);
  m.fault('Version').once().reset({ scope: 'connection' });
  expect(await ending(client.version({}))).toMatch(/^UNAVAILABLE /);
});

test('rules that would wait for a virtual clock are rejected', async () => {
  const m = await mockri({ clock: 'virtual' });
  expect(() => m.fault().on('connection').latency({ duration: '1s' })).toThrow(/needs real time/);
  expect(() => m.fault().on('connection').stall('1s')).toThrow(/delay the calls instead/);
  expect(() => m.fault().on('connection').delay('1s')).toThrow(/delay on a connection needs real time/);
});

/** Number of open connections of the server. */
const serverConnections = ({ connections }: Mockri): number => connections;

async function open({ endpoint }: Mockri): Promise<Socket> {
  const socket = connect(endpoint.replace('unix://', ''));
  await new Promise((resolve) => socket.once('connect', resolve));
  return socket;
}

/** First bytes that the server sends to an HTTP/2 client before it disconnects. */
async function firstBytes(m: Mockri): Promise<Buffer> {
  const socket = await open(m);
  socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
