import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { aContainer } from '../../../test/support/kube-objects.js';
import { createVirtualClock } from '../../clock/virtual-clock.js';
import { createHookRequest } from './hook-request.js';

const clock = createVirtualClock();
const hook = createHookRequest(clock, '1.36');
const seen: unknown[] = [];
const server = createServer(({ url, headers }, reply) => {
  seen.push([url, headers['user-agent']]);
  reply.writeHead(500).end();
});
const get = (port: number) => ({
  httpGet: { path: '/stop', port, scheme: 'HTTP' as const, httpHeaders: [] },
});

afterEach(() => {
  server.close();
});

test('an httpGet hook is content with any answer, and fails without one', async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await clock.run(() => hook(get(port), '127.0.0.1', aContainer()));
  expect(seen).toEqual([['/stop', 'kube-lifecycle/1.36']]);
  await new Promise((resolve) => server.close(resolve));
  await expect(clock.run(() => hook(get(port), '127.0.0.1', aContainer()))).rejects.toThrow(
    `Get "http://127.0.0.1:${port}/stop": dial tcp 127.0.0.1:${port}: connect: connection refused`,
  );
});

test('a tcpSocket is no hook', async () => {
  await expect(hook({ tcpSocket: { port: 1 } }, '127.0.0.1', aContainer())).rejects.toThrow(
    'invalid handler',
  );
});
