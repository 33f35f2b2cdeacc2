import { createServer, type ServerHttp2Stream } from 'node:http2';
import { describe, expect, it } from 'vitest';
import type { Connection } from '../../../src/base/network/network.js';
import { checkGrpc } from '../../../src/kubelet/probes/grpc-handler.js';
import { checkHttp } from '../../../src/kubelet/probes/handlers.js';
import { createHookRequest } from '../../../src/kubelet/probes/hook-request.js';
import { BrokenAnswer } from '../../../src/kubelet/probes/outcome.js';
import { aContainer, aPod } from '../../support/kubelet/objects.js';
import { dialer, listen, runOn, TARGET } from '../../support/kubelet/probe-targets.js';

// Servers of probes and hooks that send what no server should. An error that nobody handles would end this process.

const HTTP = 'HTTP/1.1 200 OK\r\n';
const MIB = 1024 * 1024;

/** Sends this again and again while the probe reads, as often as is far too much. */
const endless = (first: string, more: string) => (connection: Connection) => {
  let left = 200;
  const send = () => {
    while (left-- > 0 && connection.write(more));
  };
  connection.on('drain', send).write(first);
  send();
};
const once = (text: string) => (connection: Connection) => void connection.end(text);
const open = (text: string) => (connection: Connection) => void connection.write(text);

/** What they do when a request comes. */
const servers: Readonly<Record<string, (connection: Connection) => void>> = {
  'headers without end': endless(HTTP, 'a: b\r\n'.repeat(1000)),
  'one header without end': endless(`${HTTP}a: `, 'x'.repeat(1000)),
  'a status line without end': endless('HTTP/1.1 200 ', 'x'.repeat(1000)),
  'a body without end': endless(`${HTTP}\r\n`, 'x'.repeat(10_000)),
  'chunks without end': endless(`${HTTP}Transfer-Encoding: chunked\r\n\r\n`, '1\r\nx\r\n'.repeat(1000)),
  'a chunk of the largest size': open(`${HTTP}Transfer-Encoding: chunked\r\n\r\nfffffffffffffff\r\nx`),
  'a chunk size that is none': once(`${HTTP}Transfer-Encoding: chunked\r\n\r\nzz\r\n`),
  'a length that is none': once(`${HTTP}Content-Length: -1\r\n\r\nx`),
  'two lengths': once(`${HTTP}Content-Length: 1\r\nContent-Length: 2\r\n\r\nxy`),
  'another protocol': once('SSH-2.0-OpenSSH_9.6\r\n'),
  'bytes of no meaning': once('\0\xff\0\xff'),
  'switching protocols': open(
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
  ),
  'two responses': once(`${HTTP}Content-Length: 0\r\n\r\n${HTTP}Content-Length: 0\r\n\r\n`),
  'a redirect to no URL': once('HTTP/1.1 302 Found\r\nLocation: http://[\r\nContent-Length: 0\r\n\r\n'),
  'a redirect to another scheme': once(
    `HTTP/1.1 302 Found\r\nLocation: file://${TARGET}/etc/passwd\r\nContent-Length: 0\r\n\r\n`,
  ),
  'a redirect to port 99999': once(
    `HTTP/1.1 302 Found\r\nLocation: http://${TARGET}:99999/\r\nContent-Length: 0\r\n\r\n`,
  ),
  'a redirect with a body without end': endless(
    'HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n',
    'x'.repeat(10_000),
  ),
};
const all = Object.entries(servers);

function listenWith(serve: (connection: Connection) => void) {
  const by = dialer();
  by.clock.loopback.listen(TARGET, 80, (connection) => {
    connection.on('error', () => {});
    connection.once('data', () => serve(connection));
    connection.resume();
  });
  return by;
}

it.each(all)('a probe ends within its timeout: %s', async (_, serve) => {
  const by = listenWith(serve);
  const get = { path: '/', port: 80, scheme: 'HTTP', httpHeaders: [] } as const;
  const check = { ...by, get, host: TARGET, port: 80, timeout: 1000, userAgent: 'x' };
  const [{ output }, took] = await runOn(by.clock, () =>
    checkHttp(check).catch((error: unknown) => {
      if (error instanceof BrokenAnswer) return { result: 'failure', output: error.message };
      throw error;
    }),
  );
  expect(took).toBeLessThanOrEqual(1000);
  expect(output.length).toBeLessThan(20_000);
});

it('a hook ends when the server switches protocols, as Go takes this for a response', async () => {
  const by = listenWith(servers['switching protocols'] as (connection: Connection) => void);
  const request = createHookRequest(by, { event: () => {} }, '1.36');
  const httpGet = { path: '/', port: 80, scheme: 'HTTP', httpHeaders: [] } as const;
  let isOver = false;
  const done = by.clock
    .run(() => request({ httpGet }, TARGET, aContainer(), aPod()))
    .finally(() => {
      isOver = true;
    });
  expect(await by.clock.runUntil(() => isOver, 1000)).toBe(true);
  await done;
});

describe('gRPC', () => {
  async function check(answer: (stream: ServerHttp2Stream) => void) {
    const by = dialer();
    const server = createServer();
    server.on('stream', (stream) => {
      stream.on('error', () => {});
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      answer(stream);
    });
    listen(by, server);
    const options = { ...by, host: TARGET, port: 80, service: '', timeout: 1000, userAgent: 'x' };
    const [outcome] = await runOn(by.clock, () => checkGrpc(options));
    return outcome;
  }
  const message = (length: number) => {
    const prefix = Buffer.alloc(5);
    prefix.writeUInt32BE(length, 1);
    return prefix;
  };

  it('refuses a reply of more than 4 MiB when its length comes, as Go does', async () => {
    expect(await check((stream) => stream.write(message(5 * MIB)))).toEqual({
      result: 'failure',
      output: `error: health rpc probe failed: rpc error: code = ResourceExhausted desc = grpc: received message larger than max (${5 * MIB} vs. ${4 * MIB})`,
    });
  });

  it('refuses a second message, so that there are none without end', async () => {
    const reply = Buffer.concat([message(2), Buffer.from([8, 1])]);
    expect(await check((stream) => stream.write(Buffer.concat([reply, reply])))).toMatchObject({
      result: 'failure',
      output: expect.stringContaining('cardinality violation'),
    });
  });
});
