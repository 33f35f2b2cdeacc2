import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createRealClock } from '../../../src/base/clock/real-clock.js';
import { createApiClient } from '../../../src/cluster/api/api-client.js';
import { fixedCredentials } from '../../../src/cluster/api/credentials.js';

// An API server whose answers are broken. An error that nobody handles would end this process.

/** A client of a server that answers each request with these bytes, and the number of its connections. */
async function rig(bytes: string, end: 'open' | 'end' | 'reset' = 'end') {
  let requests = 0;
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', () => {
      requests++;
      socket.write(bytes, () => {
        if (end === 'end') socket.end();
        if (end === 'reset') socket.resetAndDestroy();
      });
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const clock = createRealClock();
  const limits = { qps: 1000, burst: 1000, inFlight: 4 };
  const connection = {
    server: new URL(`http://127.0.0.1:${port}`),
    insecure: false,
    credentials: fixedCredentials({}),
  };
  const api = createApiClient(connection, limits, clock);
  onTestFinished(() => {
    api.close();
    server.close();
  });
  const watch = async () => {
    const lines: unknown[] = [];
    for await (const line of await api.lines('/api/v1/pods', {}, new AbortController().signal))
      lines.push(line);
    return lines;
  };
  return {
    request: () => api.request({ method: 'GET', path: '/api/v1/nodes/x' }),
    watch,
    requests: () => requests,
  };
}

const OK = 'HTTP/1.1 200 OK\r\n';

const answers: readonly (readonly [string, string, 'end' | 'reset' | 'open'])[] = [
  [
    'a redirect to this machine',
    'HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n',
    'end',
  ],
  [
    'switching protocols',
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
    'open',
  ],
  ['half of a body, and a reset', `${OK}Content-Length: 100\r\n\r\n{"a":`, 'reset'],
  ['a chunk size that is none', `${OK}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, 'end'],
  ['a page', `${OK}Content-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>`, 'end'],
  ['lists in lists', `${OK}Content-Length: 20000\r\n\r\n${'['.repeat(20_000)}`, 'end'],
];

it.each(answers)('a request fails, once: %s', async (_, bytes, end) => {
  const { request, requests } = await rig(bytes, end);
  await expect(request()).rejects.toThrow();
  expect(requests()).toBe(1);
});

// A last line without its end is no line.
it.each(answers.slice(0, 4))('a watch fails: %s', async (_, bytes, end) => {
  const { watch, requests } = await rig(bytes, end);
  await expect(watch()).rejects.toThrow();
  expect(requests()).toBe(1);
});
