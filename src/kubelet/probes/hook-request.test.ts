import { createServer, type RequestListener } from 'node:http';
import { expect, test } from 'vitest';
import { aContainer, aPod } from '../../../test/support/kubelet/objects.js';
import { dialer, listen, TARGET } from '../../../test/support/kubelet/probe-targets.js';
import { createHookRequest } from './hook-request.js';

/** A hook with its server, and the events about it. */
function setup(listener: RequestListener, scheme: 'HTTP' | 'HTTPS' = 'HTTP') {
  const by = dialer();
  const events: string[] = [];
  const event = (_pod: unknown, _type: unknown, reason: string, message: string) =>
    events.push(`${reason}: ${message}`);
  listen(by, createServer(listener));
  const request = createHookRequest(by, { event }, '1.36');
  const run = (port = 80) => {
    const httpGet = { path: '/stop', port, scheme, httpHeaders: [] };
    const done = by.clock.run(() => request({ httpGet }, TARGET, aContainer(), aPod()));
    return Promise.race([done, by.clock.advance(1000).then(() => done)]);
  };
  return { run, request, events };
}

test('an httpGet hook succeeds with any response, and fails without one', async () => {
  const seen: unknown[] = [];
  const { run } = setup(({ url, headers }, reply) => {
    seen.push([url, headers['user-agent']]);
    reply.writeHead(500).end();
  });
  await run();
  expect(seen).toEqual([['/stop', 'kube-lifecycle/1.36']]);
  await expect(run(81)).rejects.toThrow(
    'Get "http://127.64.0.1:81/stop": dial tcp 127.64.0.1:81: connect: connection refused',
  );
});

test('redirects are followed on the same host', async () => {
  const seen: unknown[] = [];
  const { run } = setup(({ url }, reply) => {
    seen.push(url);
    if (url === '/stop') reply.writeHead(302, { location: '/there' }).end();
    else reply.end();
  });
  await run();
  expect(seen).toEqual(['/stop', '/there']);
});

test('a request to a server without TLS is repeated in plain HTTP, and recorded as an event', async () => {
  const seen: unknown[] = [];
  const { run, events } = setup(({ url }, reply) => {
    seen.push(url);
    reply.end();
  }, 'HTTPS');
  await run();
  expect(seen).toEqual(['/stop']);
  expect(events).toEqual([
    'LifecycleHTTPFallback: request to HTTPS lifecycle hook 127.64.0.1:80 got HTTP response, retry with HTTP succeeded',
  ]);
});

test('a hook of a pod without an address fails', async () => {
  const request = createHookRequest(dialer(), { event: () => {} }, '1.36');
  const httpGet = { path: '/', port: 80, scheme: 'HTTP' as const, httpHeaders: [] };
  await expect(request({ httpGet }, undefined, aContainer(), aPod())).rejects.toThrow(
    'failed to find networking container',
  );
});

test('a tcpSocket is not a valid hook', async () => {
  const { request } = setup(() => {});
  await expect(request({ tcpSocket: { port: 1 } }, TARGET, aContainer(), aPod())).rejects.toThrow(
    'invalid handler',
  );
});
