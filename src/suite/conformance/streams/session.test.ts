import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { Violation } from '../violation.js';
import { addressOf } from './session.js';
import { SpdyClient } from './spdy.js';
import { webSocket } from './websocket.js';

const closing: (() => void)[] = [];

afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function addressOfServer(server: ReturnType<typeof createServer>): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => server.close());
  return `//127.0.0.1:${(server.address() as AddressInfo).port}/exec/token`;
}

test('an address without a scheme is one of http', () => {
  expect(addressOf('//127.0.0.1:1/exec')).toBe('http://127.0.0.1:1/exec');
  expect(addressOf('https://127.0.0.1:1/exec')).toBe('https://127.0.0.1:1/exec');
});

test('what a WebSocket that was closed does not take is a violation of the runtime', async () => {
  const server = createServer();
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) => socket.terminate());
  const session = await webSocket.open({ url: await addressOfServer(server), stdin: true });
  await expect.poll(() => session.stdout.hasEnded).toBe(true);
  await expect(session.stdin?.send(Buffer.from('x'))).rejects.toBeInstanceOf(Violation);
});

test('what a SPDY connection that was closed does not take is a violation of the runtime', async () => {
  const server = createServer();
  server.on('upgrade', (_, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n');
    socket.once('data', () => socket.destroy());
  });
  const client = await SpdyClient.connect(await addressOfServer(server), 'portforward.k8s.io');
  const channel = await client.open({ streamtype: 'data' });
  await expect.poll(() => channel.hasEnded).toBe(true);
  await expect(channel.send(Buffer.from('x'))).rejects.toBeInstanceOf(Violation);
});
