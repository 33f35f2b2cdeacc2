import { expect, test } from 'vitest';
import { createLoopback, type LoopbackSocket } from './loopback.js';

/** A server that listens, and a client of it. */
function pair() {
  const loopback = createLoopback();
  const accepted: LoopbackSocket[] = [];
  const { close } = loopback.listen('127.64.0.1', 80, (connection) => accepted.push(connection));
  const client = loopback.connect('127.64.0.1', 80);
  return { loopback, accepted, close, client };
}

/** Runs all pending callbacks, without a turn of the event loop. */
const soon = () => new Promise<void>((resolve) => process.nextTick(() => queueMicrotask(resolve)));

test('what is said is heard before the event loop turns', async () => {
  const { accepted, client } = pair();
  client.write('hello');
  let hasTurned = false;
  setImmediate(() => {
    hasTurned = true;
  });
  await soon();
  const [server] = accepted;
  const heard = server?.iterator({ destroyOnReturn: false }).next();
  expect(String((await heard)?.value)).toBe('hello');
  server?.end('hi');
  expect(String(Buffer.concat(await client.toArray()))).toBe('hi');
  expect(hasTurned).toBe(false);
});

test('each end knows the other’s address; clients get ports in order', async () => {
  const { loopback, accepted, client } = pair();
  loopback.connect('127.64.0.1', 80);
  await soon();
  expect([client.remoteAddress, client.remotePort]).toEqual(['127.64.0.1', 80]);
  expect(accepted.map((server) => [server.remoteAddress, server.remotePort])).toEqual([
    ['127.0.0.1', 32_768],
    ['127.0.0.1', 32_769],
  ]);
});

test.each([
  ['127.64.0.1', 81],
  ['127.64.0.2', 80],
])('nobody answers at %s:%d, where nobody listens', (address, port) => {
  const { loopback } = pair();
  expect(() => loopback.connect(address, port)).toThrow(`connect ECONNREFUSED ${address}:${port}`);
});

test('a port is taken once, until it is closed', () => {
  const { loopback, close } = pair();
  const listen = () => loopback.listen('127.64.0.1', 80, () => {});
  expect(listen).toThrow('listen EADDRINUSE: address already in use 127.64.0.1:80');
  close();
  const again = listen();
  close();
  expect(loopback.connect('127.64.0.1', 80)).toBeDefined();
  again.close();
  expect(() => loopback.connect('127.64.0.1', 80)).toThrow('ECONNREFUSED');
});

test('port 0 is a free one', () => {
  const { loopback } = pair();
  const { port } = loopback.listen('127.64.0.1', 0, () => {});
  expect(port).toBe(32_769);
  expect(loopback.connect('127.64.0.1', port)).toBeDefined();
});

test('a sender waits while too much is unread, and continues when it is read or the reader is gone', async () => {
  const { accepted, client } = pair();
  const sent: string[] = [];
  const send = (name: string) => client.write(Buffer.alloc(512 * 1024), () => sent.push(name));
  for (const name of ['first', 'second', 'third', 'fourth']) send(name);
  for (let ticks = 0; ticks < 10; ticks++) await soon();
  const [server] = accepted;
  expect(sent).toEqual(['first']);
  server?.read();
  for (let ticks = 0; ticks < 10; ticks++) await soon();
  expect(sent).toEqual(['first', 'second', 'third']);
  client.on('error', (error) => sent.push(error.message));
  server?.destroy();
  for (let ticks = 0; ticks < 10; ticks++) await soon();
  send('fifth');
  for (let ticks = 0; ticks < 10; ticks++) await soon();
  expect(sent).toEqual(['first', 'second', 'third', 'fourth', 'fifth', 'read ECONNRESET']);
});

test('one that is destroyed is at its end for the other', async () => {
  const { accepted, client } = pair();
  await soon();
  accepted[0]?.destroy();
  expect(await client.toArray()).toEqual([]);
});

test('a port takes 4,096 connections, and another one when one of them is closed', async () => {
  const { loopback, accepted, client } = pair();
  for (let more = 1; more < 4096; more++) loopback.connect('127.64.0.1', 80);
  expect(() => loopback.connect('127.64.0.1', 80)).toThrow('ECONNREFUSED');
  await soon();
  client.destroy();
  accepted[0]?.destroy();
  for (let ticks = 0; ticks < 10; ticks++) await soon();
  expect(loopback.connect('127.64.0.1', 80)).toBeDefined();
});

test('what nobody reads is limited for all connections together, until they are gone', async () => {
  const { loopback, client } = pair();
  const errors: string[] = [];
  const megabyte = Buffer.alloc(1024 * 1024);
  const open = async () => {
    const socket = loopback.connect('127.64.0.1', 80);
    socket.on('error', ({ message }) => errors.push(message));
    for (const half of [megabyte, megabyte]) socket.write(half.subarray(0, megabyte.length / 2));
    for (let ticks = 0; ticks < 3; ticks++) await soon();
    return socket;
  };
  client.destroy();
  const sockets = await Promise.all(Array.from({ length: 127 }, open));
  await open();
  expect(errors).toEqual(['write ENOBUFS']);
  for (const { peer } of sockets) peer?.destroy();
  for (let ticks = 0; ticks < 10; ticks++) await soon();
  await open();
  expect(errors.filter((message) => message === 'write ENOBUFS')).toHaveLength(1);
});
