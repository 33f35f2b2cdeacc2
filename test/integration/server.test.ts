import { existsSync, statSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { createRealClock } from '../../src/base/clock/real-clock.js';
import { createVirtualClock } from '../../src/base/clock/virtual-clock.js';
import { type CriConnection, connectCri } from '../../src/cri/client/connect.js';
import { StatusError, wrongState } from '../../src/cri/errors.js';
import { type Call, type CriService, criMethods } from '../../src/cri/service.js';
import { type CriServer, type ServerOptions, startServer } from '../../src/runtime/server/server.js';
import { callPatiently } from '../support/network/patient-client.js';
import { useTemporaryDirectories } from '../support/temporary.js';
import { until, untilStill } from '../support/turns.js';

const temporaryDirectory = useTemporaryDirectories();
const open: { close(): unknown }[] = [];

afterEach(async () => {
  for (const resource of open.splice(0).reverse()) await resource.close();
});

async function start(
  service: Partial<CriService> = {},
  options: Partial<ServerOptions> = {},
): Promise<CriServer> {
  const server = await startServer({
    service: { ...stub, ...service },
    clock: createRealClock(),
    listen: `${temporaryDirectory()}/cri.sock`,
    ...options,
  });
  open.push(server);
  return server;
}

function connect(server: CriServer): CriConnection {
  const client = connectCri(server.endpoint.replace('tcp://', ''));
  open.push(client);
  return client;
}

const version = { version: '0.1.0', runtimeName: 'stub', runtimeVersion: '1', runtimeApiVersion: 'v1' };
const stub = Object.fromEntries(
  Object.keys(criMethods).map((name) => [name, () => version]),
) as unknown as CriService;

describe('the socket', () => {
  test('has mode 0660 and is removed at the end', async () => {
    const server = await start();
    const path = server.endpoint.replace('unix://', '');
    expect(statSync(path).mode & 0o777).toBe(0o660);
    await server.close();
    expect(existsSync(path)).toBe(false);
  });

  test('is refused while another process serves it', async () => {
    const server = await start();
    await expect(start({}, { listen: server.endpoint })).rejects.toThrow(/another process is serving it/);
    expect((await connect(server).version({})).runtimeName).toBe('stub');
  });

  test('is replaced when no process serves it', async () => {
    const path = `${temporaryDirectory()}/stale.sock`;
    await leaveStale(path);
    expect(existsSync(path)).toBe(true);
    const server = await start({}, { listen: path });
    expect((await connect(server).version({})).runtimeName).toBe('stub');
  });

  test('does not replace a file', async () => {
    const path = `${temporaryDirectory()}/precious`;
    writeFileSync(path, 'x');
    await expect(start({}, { listen: path })).rejects.toThrow(/exists and is not a socket/);
  });

  test('can be TCP, on any free port', async () => {
    const server = await start({}, { listen: 'tcp://127.0.0.1:0' });
    expect(server.endpoint).toMatch(/^tcp:\/\/127\.0\.0\.1:[1-9]\d*$/);
    expect((await connect(server).version({})).runtimeName).toBe('stub');
  });

  test.each([
    'http://x',
    'tcp://x',
    'tcp://x:99999',
    'unix:',
    'unix://x',
    'unix://x/y',
    'foo',
    '',
    `/${'x'.repeat(120)}`,
  ])('%s is refused', async (listen) => {
    await expect(start({}, { listen })).rejects.toThrow(/is not an endpoint|bytes; the system allows/);
  });

  test('is removed and restored with the runtime', async () => {
    const server = await start();
    const client = connect(server);
    await client.version({});
    await server.suspend();
    await expect(client.version({})).rejects.toMatchObject({ code: 14 });
    await server.resume();
    await client.waitForReady(10_000);
    expect((await client.version({})).runtimeName).toBe('stub');
  });
});

/** A socket file whose server died without removing it. */
async function leaveStale(path: string): Promise<void> {
  const { spawnSync } = await import('node:child_process');
  const script = `require('net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`;
  spawnSync(process.execPath, ['-e', script, path]);
}

describe('a call', () => {
  test('maps the kinds of errors to codes', async () => {
    const server = await start({
      startContainer: () => {
        throw wrongState('it is EXITED');
      },
      stopContainer: async () => {
        throw new StatusError(11, 'as another runtime said: \ud800');
      },
    });
    const client = connect(server);
    await expect(client.startContainer({})).rejects.toMatchObject({ code: 9, details: 'it is EXITED' });
    await expect(client.stopContainer({})).rejects.toMatchObject({
      code: 11,
      details: expect.stringContaining('\ufffd'),
    });
    expect(server.log.list()).toMatchObject([
      { sequence: 1, method: 'StartContainer', code: 9, details: 'it is EXITED', messages: 0 },
      { sequence: 2, method: 'StopContainer', code: 11 },
    ]);
  });

  test('an RPC newer than the API level is unimplemented', async () => {
    const client = connect(await start({}, { apiLevel: 'v0.27' }));
    await expect(client.runtimeConfig({})).rejects.toMatchObject({ code: 12 });
    await expect(async () => {
      for await (const _ of client.streamImages({})) throw new Error('answered');
    }).rejects.toMatchObject({ code: 12 });
    expect((await client.version({})).runtimeName).toBe('stub');
  });

  test('detects that its client has disconnected', async () => {
    let seen: Call | undefined;
    const server = await start({
      stopContainer: (_, call) =>
        new Promise((_, reject) => {
          seen = call;
          call.signal.addEventListener('abort', () => reject(call.signal.reason));
        }),
    });
    const abort = new AbortController();
    const called = connect(server).stopContainer({}, { signal: abort.signal });
    await until(() => seen !== undefined);
    abort.abort();
    await expect(called).rejects.toMatchObject({ code: 1 });
    await until(() => server.log.sequence === 1);
    expect(server.log.list()).toMatchObject([{ method: 'StopContainer', code: 1 }]);
    expect(seen?.signal.reason).toMatchObject({ kind: 'cancelled' });
  });

  test('can be reset separately, with trailers', async () => {
    const server = await start({
      stopContainer: (_, call) => {
        call.transport?.addTrailer('x-mockri-fault', 'cut');
        expect(call.transport?.reset(2)).toBe(true);
        return {};
      },
    });
    const client = connect(server);
    await expect(client.stopContainer({})).rejects.toMatchObject({ code: 13 });
    await client.version({});
    expect(server.log.list({ faulty: true })).toMatchObject([{ method: 'StopContainer', faults: ['cut'] }]);
    expect(server.connections.size).toBe(1);
  });

  test('can break its connection', async () => {
    const server = await start({
      stopContainer: (_, call) => {
        call.transport?.disconnect('reset');
        return {};
      },
    });
    await expect(connect(server).stopContainer({})).rejects.toMatchObject({ code: 14 });
  });
});

test('the server leaves the deadline to the client, and answers later if the client does nothing', async () => {
  const server = await start({ version: () => new Promise<never>(() => {}) });
  expect(await callPatiently(server.endpoint)).toEqual(['another client gave up', 'status 4']);
});

describe('a stream', () => {
  const event = Buffer.alloc(64 * 1024);

  test('waits for a client that does not read', async () => {
    let sent = 0;
    const server = await start({
      async *getContainerEvents() {
        for (; sent < 1000; sent++) yield event;
      },
    });
    const events = connect(server).getContainerEvents({})[Symbol.asyncIterator]();
    await events.next();
    await untilStill(() => sent);
    expect(sent).toBeLessThan(100);
    let received = 1;
    while (!(await events.next()).done) received++;
    expect(received).toBe(1000);
  });

  test('detects that its client has disconnected', async () => {
    let signal: AbortSignal | undefined;
    const server = await start({
      async *getContainerEvents(_, call) {
        signal = call.signal;
        yield Buffer.alloc(0);
        await new Promise((resolve) => call.signal.addEventListener('abort', resolve));
      },
    });
    for await (const _ of connect(server).getContainerEvents({})) break;
    await until(() => signal?.aborted === true);
    await until(() => server.log.sequence === 1);
    expect(server.log.list()).toMatchObject([{ method: 'GetContainerEvents', code: 1, messages: 1 }]);
  });

  test('ends with the error of its service', async () => {
    const server = await start({
      async *getContainerEvents() {
        yield Buffer.alloc(0);
        throw wrongState('no more');
      },
    });
    await expect(async () => {
      for await (const _ of connect(server).getContainerEvents({}));
    }).rejects.toMatchObject({ code: 9, details: 'no more' });
  });
});

test('a session that ends while the server closes does not delay it', async () => {
  const machineClock = createVirtualClock();
  const server = await start({}, { machineClock });
  const client = connect(server);
  await client.version({});
  for (const { session } of server.connections.open) session?.destroy();
  let closedAfter: number | undefined;
  const closed = server.close(3_600_000).then(() => {
    closedAfter = machineClock.elapsed();
  });
  await until(() => server.connections.size === 0);
  await untilStill(() => closedAfter ?? -1);
  await machineClock.advance(3_600_000);
  await closed;
  expect(closedAfter).toBe(0);
});

test('closing waits for calls in progress', async () => {
  let answer: (() => void) | undefined;
  const server = await start({
    stopContainer: () =>
      new Promise((resolve) => {
        answer = () => resolve({});
      }),
  });
  const called = connect(server).stopContainer({});
  await until(() => answer !== undefined);
  const closed = server.close();
  answer?.();
  await expect(called).resolves.toEqual({});
  await closed;
});
