import { connect as connectHttp2, type IncomingHttpHeaders } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createRealClock } from '../../src/base/clock/real-clock.js';
import { type CriConnection, connectCri } from '../../src/cri/client/connect.js';
import { type CriService, criMethods } from '../../src/cri/service.js';
import { type CriServer, startServer } from '../../src/runtime/server/server.js';
import { useTemporaryDirectories } from '../support/temporary.js';

const temporaryDirectory = useTemporaryDirectories();
let server: CriServer;
let client: CriConnection;
let path: string;
const defects: unknown[] = [];

beforeEach(async () => {
  path = `${temporaryDirectory()}/cri.sock`;
  server = await startServer({
    service: stub(),
    clock: createRealClock(),
    listen: path,
    onDefect: (_, error) => defects.push(error),
  });
  client = connectCri(server.endpoint);
});

afterEach(async () => {
  client.close();
  await server.close();
});

/** Implements Version, and the possible failures of a handler. */
function stub(): CriService {
  const refuse = () => {
    throw new Error('internal secret');
  };
  const entries = Object.keys(criMethods).map((name) => [name, refuse]);
  return {
    ...Object.fromEntries(entries),
    version: () => ({ version: '0.1.0', runtimeName: 'stub', runtimeVersion: '1', runtimeApiVersion: 'v1' }),
    listContainers: () => Buffer.alloc(17 * 1024 * 1024),
  } as CriService;
}

/** One raw gRPC call: resolves with the headers and trailers. */
function call(
  method: string,
  body: Buffer,
  headers: Record<string, string> = {},
): Promise<IncomingHttpHeaders> {
  return new Promise((resolve, reject) => {
    const session = connectHttp2('http://cri', { createConnection: () => connect(path) });
    session.on('error', reject);
    const stream = session.request({
      ':method': 'POST',
      ':path': `/runtime.v1.RuntimeService/${method}`,
      'content-type': 'application/grpc',
      te: 'trailers',
      ...headers,
    });
    let seen: IncomingHttpHeaders = {};
    stream.on('response', (headers) => {
      seen = { ...seen, ...headers };
    });
    stream.on('trailers', (trailers) => {
      seen = { ...seen, ...trailers };
    });
    stream.on('error', () => {});
    stream.on('close', () => {
      session.close();
      resolve(seen);
    });
    stream.resume();
    stream.end(body);
  });
}

const framed = (message: Buffer, length = message.length): Buffer => {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(length, 1);
  return Buffer.concat([head, message]);
};

const expectService = async () => expect((await client.version({})).runtimeName).toBe('stub');

describe('leads to a clear error, and the next call succeeds:', () => {
  test.each([
    ['a body that is not protobuf', Buffer.from('ffffffff', 'hex')],
    ['a field of the wrong wire type that exceeds the body', Buffer.from('0aff', 'hex')],
    ['a string that is not UTF-8', Buffer.from('0a02c328', 'hex')],
  ])('%s', async (_, body) => {
    const answer = await call('Version', framed(body));
    expect(answer['grpc-status']).toBe('3');
    expect(decodeURI(String(answer['grpc-message']))).toContain('VersionRequest');
    await expectService();
  });

  test('a request over 16 MiB', async () => {
    const huge = { image: { image: 'x'.repeat(17 * 1024 * 1024) } };
    await expect(client.pullImage(huge)).rejects.toMatchObject({ code: 8 });
    await expectService();
  });

  test('a reply over 16 MiB', async () => {
    await expect(client.listContainers({})).rejects.toMatchObject({ code: 8 });
    expect(server.log.list({ method: 'ListContainers' })).toMatchObject([{ code: 8 }]);
    await expectService();
  });

  test('an unknown method', async () => {
    const answer = await call('Teleport', framed(Buffer.alloc(0)));
    expect(answer['grpc-status']).toBe('12');
    await expectService();
  });

  test('an unknown compression', async () => {
    const body = framed(Buffer.alloc(0));
    body[0] = 1;
    expect((await call('Version', body, { 'grpc-encoding': 'snappy' }))['grpc-status']).toBe('12');
    await expectService();
  });

  test('a defect in the server, whose text appears only in the log', async () => {
    await expect(client.status({})).rejects.toMatchObject({
      code: 13,
      details: expect.not.stringContaining('secret'),
    });
    expect(defects.at(-1)).toMatchObject({ message: 'internal secret' });
    await expectService();
  });
});

describe('harms nobody:', () => {
  const talk = (text: string | Buffer): Promise<string> =>
    new Promise((resolve) => {
      const socket: Socket = connect(path, () => socket.write(text));
      let answer = '';
      socket.on('data', (chunk) => {
        answer += chunk.toString('latin1');
      });
      socket.on('error', () => {});
      socket.on('close', () => resolve(answer));
    });

  test('an HTTP/1 client gets an explanation', async () => {
    const answer = await talk('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 505 /);
    expect(answer).toContain('gRPC over HTTP/2');
    await expectService();
  });

  test('a TLS client is disconnected', async () => {
    await talk(Buffer.from('160301020001000', 'hex'));
    await expectService();
  });

  test('garbage after a valid preface', async () => {
    await talk(`PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${'x'.repeat(100)}`);
    await expectService();
  });

  test('a client that sends byte by byte, and one that disconnects immediately', async () => {
    const socket = connect(path, () => socket.destroy());
    await new Promise((resolve) => socket.on('close', resolve));
    const slow = connect(path);
    for (const letter of 'PRI * HT') slow.write(letter);
    await expectService();
    slow.destroy();
  });
});
