import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { openPort } from './open-port.js';

test('a server that is open survives a connection that cannot be accepted', async () => {
  const server = createServer();
  const port = await openPort(server, 0, '127.0.0.1');
  for (let time = 0; time < 2; time++) server.emit('error', new Error('accept EMFILE'));
  server.close();
  await openPort(server, port, '127.0.0.1');
  expect(server.listenerCount('error')).toBe(1);
  server.close();
});

test('a port that is in use is an error', async () => {
  const [first, second] = [createServer(), createServer()];
  const port = await openPort(first, 0, '127.0.0.1');
  await expect(openPort(second, port, '127.0.0.1')).rejects.toThrow('EADDRINUSE');
  first.close();
});
