import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { aContainer, aPod } from '../../../test/support/kubelet/objects.js';
import { createVirtualClock } from '../../clock/virtual-clock.js';
import { createHookRequest } from './hook-request.js';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A hook with its server, and the events about it. */
async function setup(listener: RequestListener, scheme: 'HTTP' | 'HTTPS' = 'HTTP') {
  const clock = createVirtualClock();
  const events: string[] = [];
  const event = (_pod: unknown, _type: unknown, reason: string, message: string) =>
    events.push(`${reason}: ${message}`);
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  const request = createHookRequest(clock, { event }, '1.36');
  const httpGet = { path: '/stop', port, scheme, httpHeaders: [] };
  const run = (podIp: string | undefined = '127.0.0.1') =>
    clock.run(() => request({ httpGet }, podIp, aContainer(), aPod()));
  return { run, request, port, server, events };
}

test('an httpGet hook succeeds with any response, and fails without one', async () => {
  const seen: unknown[] = [];
  const { run, port, server } = await setup(({ url, headers }, reply) => {
    seen.push([url, headers['user-agent']]);
    reply.writeHead(500).end();
  });
  await run();
  expect(seen).toEqual([['/stop', 'kube-lifecycle/1.36']]);
  await new Promise((resolve) => server.close(resolve));
  await expect(run()).rejects.toThrow(
    `Get "http://127.0.0.1:${port}/stop": dial tcp 127.0.0.1:${port}: connect: connection refused`,
  );
});

test('redirects are followed on the same host', async () => {
  const seen: unknown[] = [];
  const { run } = await setup(({ url }, reply) => {
    seen.push(url);
    if (url === '/stop') reply.writeHead(302, { location: '/there' }).end();
    else reply.end();
  });
  await run();
  expect(seen).toEqual(['/stop', '/there']);
});

test('a request to a server without TLS is repeated in plain HTTP, and recorded as an event', async () => {
  const seen: unknown[] = [];
  const { run, events, port } = await setup(({ url }, reply) => {
    seen.push(url);
    reply.end();
  }, 'HTTPS');
  await run();
  expect(seen).toEqual(['/stop']);
  expect(events).toEqual([
    `LifecycleHTTPFallback: request to HTTPS lifecycle hook 127.0.0.1:${port} got HTTP response, retry with HTTP succeeded`,
  ]);
});

test('a hook of a pod without an address fails', async () => {
  const clock = createVirtualClock();
  const request = createHookRequest(clock, { event: () => {} }, '1.36');
  const httpGet = { path: '/', port: 80, scheme: 'HTTP' as const, httpHeaders: [] };
  await expect(request({ httpGet }, undefined, aContainer(), aPod())).rejects.toThrow(
    'failed to find networking container',
  );
});

test('a tcpSocket is not a valid hook', async () => {
  const { request } = await setup(() => {});
  await expect(request({ tcpSocket: { port: 1 } }, '127.0.0.1', aContainer(), aPod())).rejects.toThrow(
    'invalid handler',
  );
});
