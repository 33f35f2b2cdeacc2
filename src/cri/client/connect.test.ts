import { join } from 'node:path';
import { status as Code, type Metadata, Server, ServerCredentials } from '@grpc/grpc-js';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { useTemporaryDirectories } from '../../../test/support/temporary.js';
import type { Clock } from '../../base/clock/clock.js';
import { createRealClock } from '../../base/clock/real-clock.js';
import { Container, ContainerEventResponse, RuntimeServiceService } from '../gen/runtime/v1/api.js';
import { type CriConnection, connectCri } from './connect.js';

const temporary = useTemporaryDirectories();
let directory: string;
let server: Server;
let endpoint: string;

beforeEach(async () => {
  directory = temporary();
  endpoint = `unix://${join(directory, 'cri.sock')}`;
  server = new Server();
  const { version, listContainers, startContainer, getContainerEvents, stopContainer } =
    RuntimeServiceService;
  server.addService({ version, listContainers, startContainer, getContainerEvents, stopContainer }, {
    version: (
      call: { request: { version: string }; metadata: Metadata },
      reply: (error: null, value: object) => void,
    ) =>
      reply(null, {
        version: call.request.version,
        runtimeName: call.metadata.get('name')[0] ?? 'n',
        runtimeVersion: 'v',
        runtimeApiVersion: 'v1',
      }),
    listContainers: (
      call: { request: { filter?: { labelSelector: object } } },
      reply: (error: null, value: object) => void,
    ) =>
      reply(null, {
        containers: Object.keys(call.request.filter?.labelSelector ?? {}).map((id) =>
          Container.fromPartial({ id }),
        ),
      }),
    startContainer: (_: unknown, reply: (error: object) => void) =>
      reply({ code: Code.FAILED_PRECONDITION, details: 'runs already' }),
    stopContainer: () => {},
    getContainerEvents: (call: { write(value: object): void; end(): void }) => {
      for (const containerId of ['a', 'b']) call.write(ContainerEventResponse.fromPartial({ containerId }));
      call.end();
    },
  } as never);
  await new Promise<void>((resolve, reject) =>
    server.bindAsync(endpoint.replace('unix://', 'unix:'), ServerCredentials.createInsecure(), (error) =>
      error ? reject(error) : resolve(),
    ),
  );
});

afterEach(async () => {
  server.forceShutdown();
});

async function withClient(use: (client: CriConnection) => Promise<void>, options = {}): Promise<void> {
  const client = connectCri(endpoint, options);
  try {
    await use(client);
  } finally {
    client.close();
  }
}

test('calls and gets the reply', () =>
  withClient(async (cri) => {
    expect(await cri.version({ version: '0.1.0' })).toMatchObject({ version: '0.1.0', runtimeName: 'n' });
  }));

test('sends requests that leave fields out', () =>
  withClient(async (cri) => {
    const { containers } = await cri.listContainers({ filter: { labelSelector: { x: 'y' } } });
    expect(containers.map((container) => container.id)).toEqual(['x']);
  }));

test('sends metadata along', () =>
  withClient(async (cri) => {
    const { runtimeName } = await cri.version({}, { metadata: { name: 'told' } });
    expect(runtimeName).toBe('told');
  }));

test('fails with the code and text of the server', () =>
  withClient(async (cri) => {
    await expect(cri.startContainer({ containerId: 'x' })).rejects.toMatchObject({
      code: Code.FAILED_PRECONDITION,
      codeName: 'FAILED_PRECONDITION',
      details: 'runs already',
      method: 'StartContainer',
    });
  }));

test('reads a stream to its end', () =>
  withClient(async (cri) => {
    const ids: string[] = [];
    for await (const event of cri.getContainerEvents({})) ids.push(event.containerId);
    expect(ids).toEqual(['a', 'b']);
  }));

test('can be cancelled', () =>
  withClient(async (cri) => {
    const abort = new AbortController();
    const call = cri.stopContainer({ containerId: 'x', timeout: 1n }, { signal: abort.signal });
    abort.abort();
    await expect(call).rejects.toMatchObject({ code: Code.CANCELLED });
  }));

test('a call that is cancelled right after its start leaves nothing open', async () => {
  await withClient(async (cri) => {
    await cri.version({});
    const abort = new AbortController();
    const call = cri.stopContainer({ containerId: 'x', timeout: 1n }, { signal: abort.signal });
    abort.abort();
    await expect(call).rejects.toMatchObject({ code: Code.CANCELLED });
    // By its reply, what was sent before has arrived.
    await cri.version({});
  });
  // Ends when the client's connection does, which waits for its calls.
  await new Promise((resolve) => server.tryShutdown(resolve));
});

test('gives up on the clock that it was given', () =>
  withClient(
    async (cri) => {
      const call = cri.stopContainer({ containerId: 'x', timeout: 1n }, { timeout: 120_000 });
      await expect(call).rejects.toMatchObject({ code: Code.DEADLINE_EXCEEDED });
    },
    { clock: fastClock(10_000) },
  ));

test('a client that is closed ends the calls in progress, and refuses others', () =>
  withClient(async (cri) => {
    await cri.version({});
    const underWay = cri.stopContainer({ containerId: 'x' });
    cri.close();
    const closing = { code: Code.CANCELLED, details: 'grpc: the client connection is closing' };
    await expect(underWay).rejects.toMatchObject(closing);
    await expect(cri.version({})).rejects.toMatchObject(closing);
  }));

/** Real time whose waits are `factor` times as short. */
function fastClock(factor: number): Clock {
  const real = createRealClock();
  return {
    ...real,
    setTimer: (delay, callback) => real.setTimer(delay / factor, callback),
    sleep: (delay, signal) => real.sleep(delay / factor, signal),
  };
}

test('a client that is closed while it waits for a server stops waiting', async () => {
  const client = connectCri('unix:///nobody.sock');
  // The first attempt fails: the next one is later.
  await expect(client.version({})).rejects.toThrow('connect: no such file or directory');
  const ready = client.waitForReady(24 * 3_600_000);
  client.close();
  await expect(ready).rejects.toThrow('the connection to unix:///nobody.sock is closed');
});
