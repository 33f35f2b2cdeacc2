import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { Server as GrpcServer, status as GrpcStatus, ServerCredentials } from '@grpc/grpc-js';
import { afterEach, describe, expect, test } from 'vitest';
import { aContainer } from '../../../test/support/kube-objects.js';
import { createVirtualClock, type VirtualClock } from '../../clock/virtual-clock.js';
import { CallError } from '../../cri/client/call-error.js';
import { checkExec } from './exec-handler.js';
import { checkGrpc } from './grpc-handler.js';
import { checkHttp } from './http-handler.js';
import { BrokenAnswer, type Outcome, resolvePort } from './outcome.js';
import { checkTcp } from './tcp-handler.js';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** A port without a listener. */
async function freePort(): Promise<number> {
  const server = createTcpServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Runs a virtual clock until the check ends; returns its result and its duration on the clock. */
async function runOn(clock: VirtualClock, check: () => Promise<Outcome>): Promise<[Outcome, number]> {
  const start = clock.elapsed();
  const run = clock.run(async () => [await check(), clock.elapsed() - start] as [Outcome, number]);
  run.catch(() => {});
  await clock.advance(10_000);
  return run;
}

describe('httpGet', () => {
  async function get(listener: RequestListener, path = '/', headers: { name: string; value: string }[] = []) {
    const clock = createVirtualClock();
    const server = createServer(listener);
    const port = await listen(server);
    const shown = { path, port, scheme: 'HTTP', httpHeaders: headers } as const;
    const check = () =>
      checkHttp({ clock, get: shown, host: '127.0.0.1', port, timeout: 1000, userAgent: 'kube-probe/1.36' });
    const [{ result, output }, took] = await runOn(clock, check);
    return { result, output: output.replaceAll(String(port), 'PORT'), took };
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

  test('has the URL in Go’s notation, even with the default port', async () => {
    const clock = createVirtualClock();
    let said = '';
    clock.loopback?.listen('127.64.0.1', 80, (connection) => {
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
      clock,
      get: shown,
      host: '127.64.0.1',
      port: 80,
      timeout: 1000,
      userAgent: 'kube-probe/1.36',
    };
    await runOn(clock, () => checkHttp(check));
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
    expect(await get(listener)).toMatchObject({ output: 'Get "http://127.0.0.1:PORT/there?now": EOF' });
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
        'Get "http://127.0.0.1:PORT/": context deadline exceeded (Client.Timeout exceeded while awaiting headers)',
      took: 1000,
    });
  });

  test('reports the cause of a broken connection in Go’s words', async () => {
    const clock = createVirtualClock();
    const port = await freePort();
    const shown = { path: '/x', port, scheme: 'HTTP', httpHeaders: [] } as const;
    const [outcome] = await runOn(clock, () =>
      checkHttp({ clock, get: shown, host: '127.0.0.1', port, timeout: 1000, userAgent: '' }),
    );
    expect(outcome).toEqual({
      result: 'failure',
      output: `Get "http://127.0.0.1:${port}/x": dial tcp 127.0.0.1:${port}: connect: connection refused`,
    });
    expect(await get((request) => request.socket.destroy())).toMatchObject({
      output: 'Get "http://127.0.0.1:PORT/": EOF',
    });
  });
});

test('tcpSocket succeeds when the port is open', async () => {
  const clock = createVirtualClock();
  const open = await listen(createTcpServer());
  const closed = await freePort();
  expect(await runOn(clock, () => checkTcp(clock, '127.0.0.1', open, 1000))).toEqual([
    { result: 'success', output: '' },
    0,
  ]);
  expect(await runOn(clock, () => checkTcp(clock, '127.0.0.1', closed, 1000))).toEqual([
    { result: 'failure', output: `dial tcp 127.0.0.1:${closed}: connect: connection refused` },
    0,
  ]);
});

describe('grpc', () => {
  type Reply = { code?: number; status?: number; never?: true };
  async function check(reply: Reply | undefined, service = '') {
    const clock = createVirtualClock();
    const asked: string[] = [];
    const port = reply === undefined ? await freePort() : await serve(reply, asked);
    const options = { clock, host: '127.0.0.1', port, service, timeout: 1000, userAgent: 'kube-probe/1.36' };
    const [{ result, output }, took] = await runOn(clock, () => checkGrpc(options));
    return { result, output: output.replaceAll(String(port), 'PORT'), took, asked };
  }

  async function serve({ code, status = 0, never }: Reply, asked: string[]): Promise<number> {
    const server = new GrpcServer();
    const method = {
      path: code === GrpcStatus.UNIMPLEMENTED ? '/other/Check' : '/grpc.health.v1.Health/Check',
      requestStream: false,
      responseStream: false,
      requestDeserialize: (bytes: Buffer) => ({ service: bytes.subarray(2).toString() }),
      requestSerialize: () => Buffer.alloc(0),
      responseSerialize: (value: number) => Buffer.from(value === 0 ? [] : [8, value]),
      responseDeserialize: (bytes: Buffer) => bytes,
    } as const;
    server.addService(
      { check: method },
      {
        check: (
          call: { request: { service: string } },
          callback: (error: object | null, value?: number) => void,
        ) => {
          asked.push(call.request.service);
          if (never) return;
          if (code === undefined) callback(null, status);
          else callback({ code, details: 'sorry' });
        },
      },
    );
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
        error ? reject(error) : resolve(bound),
      );
    });
    closers.push(() => server.forceShutdown());
    return port;
  }

  test('SERVING is a success, for the requested service', async () => {
    expect(await check({ status: 1 }, 'db')).toEqual({
      result: 'success',
      output: 'service healthy',
      took: 0,
      asked: ['db'],
    });
  });

  test.each([
    [{ status: 2 }, 'service unhealthy (responded with "NOT_SERVING")', 0],
    [
      { code: GrpcStatus.UNIMPLEMENTED },
      'error: this server does not implement the grpc health protocol (grpc.health.v1.Health): The server does not implement the method /grpc.health.v1.Health/Check',
      0,
    ],
    [
      { code: GrpcStatus.NOT_FOUND },
      'error: health rpc probe failed: rpc error: code = NotFound desc = sorry',
      0,
    ],
    [
      { code: GrpcStatus.CANCELLED },
      'error: health rpc probe failed: rpc error: code = Canceled desc = sorry',
      0,
    ],
    [{ code: GrpcStatus.DEADLINE_EXCEEDED }, 'timeout: health rpc did not complete within 1s', 0],
    [{ never: true as const }, 'timeout: health rpc did not complete within 1s', 1000],
    [
      undefined,
      'timeout: failed to connect service "127.0.0.1:PORT" within 1s: context deadline exceeded',
      1000,
    ],
  ])('%j is a failure: %s', async (reply, output, took) => {
    expect(await check(reply)).toMatchObject({ result: 'failure', output, took });
  });
});

describe('exec', () => {
  const run = (reply: { exitCode: number; stdout: string; stderr: string } | Error) =>
    checkExec(
      {
        execSync: async () => {
          if (reply instanceof Error) throw reply;
          return { ...reply, stdout: Buffer.from(reply.stdout), stderr: Buffer.from(reply.stderr) };
        },
      },
      'c1',
      ['cat', '"/my ready"'],
      5,
      new AbortController().signal,
    );

  test('is decided by the exit code', async () => {
    expect(await run({ exitCode: 0, stdout: 'ok\n', stderr: '' })).toEqual({
      result: 'success',
      output: 'ok',
    });
    expect(await run({ exitCode: 2, stdout: 'a\n', stderr: 'b\n' })).toEqual({
      result: 'failure',
      output: 'a\nb',
    });
  });

  test('that takes too long fails; any other error gives no result', async () => {
    expect(await run(new CallError(4, 'deadline exceeded'))).toEqual({
      result: 'failure',
      output: 'command timed out: "cat \\"/my ready\\"" timed out after 5s',
    });
    await expect(run(new CallError(2, 'no such container'))).rejects.toThrow(
      'rpc error: code = Unknown desc = no such container',
    );
  });

  test('keeps 10 KiB of the output', async () => {
    const { output } = await run({ exitCode: 1, stdout: 'x'.repeat(20_000), stderr: '' });
    expect(output).toHaveLength(10_240);
  });
});

test('ports can be names, or numbers in text', () => {
  const container = aContainer({ ports: [{ name: 'web', containerPort: 8080, protocol: 'TCP' }] });
  expect(resolvePort('web', container)).toBe(8080);
  expect(resolvePort('81', container)).toBe(81);
  expect(() => resolvePort('db', container)).toThrow('strconv.Atoi: parsing "db": invalid syntax');
});
