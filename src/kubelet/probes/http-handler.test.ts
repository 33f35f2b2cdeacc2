import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { dialer, listen, runOn, TARGET } from '../../../test/support/kubelet/probe-targets.js';
import { checkHttp } from './handlers.js';
import { BrokenAnswer } from './outcome.js';

describe('httpGet', () => {
  async function get(listener: RequestListener, path = '/', headers: { name: string; value: string }[] = []) {
    const by = dialer();
    listen(by, createServer(listener));
    const shown = { path, port: 80, scheme: 'HTTP', httpHeaders: headers } as const;
    const check = () =>
      checkHttp({ ...by, get: shown, host: TARGET, port: 80, timeout: 1000, userAgent: 'kube-probe/1.36' });
    const [{ result, output }, took] = await runOn(by.clock, check);
    return { result, output, took };
  }

  test.each([
    [200, 'success', 'fine'],
    [399, 'warning', 'Probe terminated redirects, Response body: fine'],
    [400, 'failure', 'HTTP probe failed with statuscode: 400'],
    [500, 'failure', 'HTTP probe failed with statuscode: 500'],
  ])('%d is a %s', async (status, result, output) => {
    expect(await get((_, reply) => reply.writeHead(status).end('fine'))).toEqual({ result, output, took: 0 });
  });

  test('sends the kubelet’s headers, unless the probe sets them', async () => {
    const seen: unknown[] = [];
    const listener: RequestListener = ({ headers, url }, reply) => {
      seen.push([url, headers['user-agent'], headers.accept, headers['x-probe']]);
      reply.end();
    };
    await get(listener, '/healthz?full=1');
    await get(listener, '/', [
      { name: 'User-Agent', value: 'mine' },
      { name: 'Accept', value: '' },
      { name: 'X-Probe', value: 'yes' },
    ]);
    expect(seen).toEqual([
      ['/healthz?full=1', 'kube-probe/1.36', '*/*', undefined],
      ['/', 'mine', undefined, 'yes'],
    ]);
  });

  test('is reset if the server ends in the instant in which it is asked', async () => {
    const by = dialer();
    let end = () => {};
    by.clock.loopback.listen(TARGET, 80, (connection) => {
      end = () => connection.destroy();
    });
    by.clock.setTimer(0, () => end());
    const get = { path: '/healthz', port: 80, scheme: 'HTTP', httpHeaders: [] } as const;
    const server = { host: TARGET, port: 80 };
    const check = () => checkHttp({ ...by, get, ...server, timeout: 1000, userAgent: 'kube-probe/1.36' });
    const [{ output }] = await runOn(by.clock, check);
    expect(output).toBe(
      'Get "http://127.64.0.1:80/healthz": read tcp 127.0.0.1:32768->127.64.0.1:80: read: connection reset by peer',
    );
  });

  test('has the URL in Go’s notation, even with the default port', async () => {
    const by = dialer();
    let said = '';
    by.clock.loopback.listen(TARGET, 80, (connection) => {
      connection.on('data', (chunk: Buffer) => {
        said += chunk;
        connection.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
      });
    });
    const httpHeaders = [
      { name: 'x-empty', value: '' },
      { name: 'b', value: '1' },
      { name: 'B', value: '2' },
    ];
    const shown = { path: '/', port: 80, scheme: 'HTTP', httpHeaders } as const;
    const check = {
      ...by,
      get: shown,
      host: TARGET,
      port: 80,
      timeout: 1000,
      userAgent: 'kube-probe/1.36',
    };
    await runOn(by.clock, () => checkHttp(check));
    expect(said.split('\r\n')).toEqual([
      'GET / HTTP/1.1',
      'Host: 127.64.0.1:80',
      'User-Agent: kube-probe/1.36',
      'Accept: */*',
      'B: 1',
      'B: 2',
      'X-Empty: ',
      'Connection: close',
      '',
      '',
    ]);
  });

  test.each([
    [
      'does not come',
      'context deadline exceeded (Client.Timeout or context cancellation while reading body)',
      (reply: ServerResponse) => reply.flushHeaders(),
    ],
    ['breaks off', 'unexpected EOF', (reply: ServerResponse) => reply.write('some', () => reply.destroy())],
  ])('a response whose body %s gives no result', async (_, error, answer) => {
    const listener: RequestListener = (_request, reply) => {
      reply.setHeader('content-length', '100');
      answer(reply);
    };
    await expect(get(listener)).rejects.toThrow(new BrokenAnswer(error));
  });

  test('an error after a redirect names the redirect target', async () => {
    const listener: RequestListener = ({ url, socket }, reply) => {
      if (url === '/') reply.writeHead(302, { location: '/there?now' }).end();
      else socket.destroy();
    };
    expect(await get(listener)).toMatchObject({ output: 'Get "http://127.64.0.1:80/there?now": EOF' });
  });

  test('does not follow a response that is not a redirect', async () => {
    expect(await get((_, reply) => reply.writeHead(300, { location: '/' }).end('choose'))).toMatchObject({
      result: 'warning',
      output: 'Probe terminated redirects, Response body: choose',
    });
  });

  test('follows redirects on the same host', async () => {
    const found = await get(({ url }, reply) => {
      if (url === '/') reply.writeHead(302, { location: '/there' }).end();
      else reply.end('there');
    });
    expect(found).toMatchObject({ result: 'success', output: 'there' });
  });

  test('does not follow redirects to another host, and stops in a redirect loop', async () => {
    const away = await get((_, reply) =>
      reply.writeHead(302, { location: 'http://example.com/' }).end('gone'),
    );
    expect(away).toMatchObject({
      result: 'warning',
      output: 'Probe terminated redirects, Response body: gone',
    });
    let asked = 0;
    const circle = await get((_, reply) => {
      asked++;
      reply.writeHead(302, { location: '/' }).end();
    });
    expect(circle).toMatchObject({ result: 'failure', output: 'Get "/": stopped after 10 redirects' });
    expect(asked).toBe(10);
  });

  test('times out on the clock', async () => {
    expect(await get(() => {})).toEqual({
      result: 'failure',
      output:
        'Get "http://127.64.0.1:80/": context deadline exceeded (Client.Timeout exceeded while awaiting headers)',
      took: 1000,
    });
  });

  test('reports the cause of a broken connection in Go’s words', async () => {
    const by = dialer();
    const shown = { path: '/x', port: 81, scheme: 'HTTP', httpHeaders: [] } as const;
    const [outcome] = await runOn(by.clock, () =>
      checkHttp({ ...by, get: shown, host: TARGET, port: 81, timeout: 1000, userAgent: '' }),
    );
    expect(outcome).toEqual({
      result: 'failure',
      output: 'Get "http://127.64.0.1:81/x": dial tcp 127.64.0.1:81: connect: connection refused',
    });
    expect(await get((request) => request.socket.destroy())).toMatchObject({
      output: 'Get "http://127.64.0.1:80/": EOF',
    });
  });
});
