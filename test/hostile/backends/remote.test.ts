import { createServer, type ServerHttp2Stream } from 'node:http2';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, it } from 'vitest';
import { createRemoteService } from '../../../adapters/remote/remote-service.js';
import { LARGEST_MESSAGE } from '../../../src/cri/limits.js';
import { type Call, criMethods } from '../../../src/cri/service.js';
import { useTemporaryDirectories } from '../../support/temporary.js';

const temporary = useTemporaryDirectories();
const closings: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closings.splice(0).reverse()) close();
});

const call = (signal = new AbortController().signal): Call => ({ signal, deadline: undefined });

/** A gRPC message: whether it is compressed, its length as announced, and as much of it as is there. */
function message(body: Buffer, { compressed = false, announced = body.length } = {}): Buffer {
  const head = Buffer.alloc(5);
  head[0] = compressed ? 1 : 0;
  head.writeUInt32BE(announced, 1);
  return Buffer.concat([head, body]);
}

const grpc = { ':status': 200, 'content-type': 'application/grpc' };
const chunk = Buffer.alloc(65_536);

/** What was taken of endless replies, in bytes. */
let taken = 0;

/** Writes without end, as fast as it is read. */
function pour(stream: ServerHttp2Stream, piece: Buffer = chunk): void {
  const more = () => {
    while (!stream.destroyed) {
      taken += piece.length;
      if (!stream.write(piece)) break;
    }
  };
  stream.on('drain', more);
  more();
}

/** Answers as a good runtime. */
function answer(stream: ServerHttp2Stream): void {
  const reply = criMethods.version.responseSerialize({
    version: '0.1.0',
    runtimeName: 'good',
    runtimeVersion: '1',
    runtimeApiVersion: 'v1',
  });
  stream.respond(grpc, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.end(message(Buffer.from(reply)));
}

/** A runtime that answers as a test says. */
function hostileRuntime() {
  const path = join(temporary(), 'cri.sock');
  const runtime = { endpoint: `unix://${path}`, answer };
  const server = createServer({ maxHeaderListPairs: 4000 } as never);
  server.on('session', (session) => {
    session.on('error', () => {});
    closings.push(() => session.destroy());
  });
  server.on('stream', (stream) => {
    stream.on('error', () => {});
    runtime.answer(stream);
  });
  server.listen(path);
  closings.push(() => server.close());
  return runtime;
}

const MORE = /larger than max|maximum|exceeds|decompresses to a size/i;

it.each<[what: string, answer: (stream: ServerHttp2Stream) => void, message: RegExp]>([
  [
    'a message of gigabytes',
    (stream) => {
      stream.respond(grpc);
      stream.write(message(Buffer.alloc(0), { announced: 0xffff_ffff }));
      pour(stream);
    },
    MORE,
  ],
  [
    'a small message that is large when it is decompressed',
    (stream) => {
      stream.respond({ ...grpc, 'grpc-encoding': 'gzip' });
      stream.write(message(gzipSync(Buffer.alloc(4 * LARGEST_MESSAGE)), { compressed: true }));
    },
    MORE,
  ],
  [
    'compression that is none',
    (stream) => {
      stream.respond({ ...grpc, 'grpc-encoding': 'gzip' });
      stream.end(message(Buffer.from('x'), { compressed: true }));
    },
    /./,
  ],
  [
    'a page',
    (stream) => {
      stream.respond({ ':status': 200, 'content-type': 'text/html' });
      pour(stream, Buffer.from('<html>'.repeat(1000)));
    },
    /./,
  ],
  [
    'a redirection',
    (stream) => {
      stream.respond({ ':status': 301, location: 'http://127.0.0.1:9/' });
      stream.end();
    },
    /301/,
  ],
  [
    'half a message',
    (stream) => {
      stream.respond(grpc);
      stream.end(message(Buffer.from('x'), { announced: 10 }));
    },
    /./,
  ],
  ['a reset', (stream) => stream.close(2), /RST_STREAM/],
  ['the end of the connection', (stream) => stream.session?.destroy(), /./],
  [
    'a status that is none',
    (stream) => stream.respond({ ...grpc, 'grpc-status': 'x', 'grpc-message': '%zz' }, { endStream: true }),
    /./,
  ],
])('a remote runtime that answers with %s fails the call, but not the next one', async (_, hostile, text) => {
  taken = 0;
  const runtime = hostileRuntime();
  const remote = createRemoteService(runtime.endpoint);
  closings.push(() => remote.close());
  runtime.answer = hostile;
  const error = await Promise.resolve(remote.service.version({ version: '' }, call())).then(
    (reply) => new Error(`no error: ${reply}`),
    (reason: Error) => reason,
  );
  expect(error.message).toMatch(text);
  expect(error.message).not.toContain('no error');
  expect(taken).toBeLessThan(3 * LARGEST_MESSAGE);
  runtime.answer = answer;
  expect(criMethods.version.responseDeserialize(await replyOf(remote))).toMatchObject({
    runtimeName: 'good',
  });
});

async function replyOf(remote: ReturnType<typeof createRemoteService>): Promise<Buffer> {
  for (;;) {
    try {
      return (await remote.service.version({ version: '' }, call())) as unknown as Buffer;
    } catch (error) {
      // The connection is made again.
      if (!/UNAVAILABLE|connection|reading/i.test(String(error))) throw error;
    }
  }
}

it('reads only as many endless events as its client reads', async () => {
  taken = 0;
  const runtime = hostileRuntime();
  const remote = createRemoteService(runtime.endpoint);
  closings.push(() => remote.close());
  runtime.answer = (stream) => {
    stream.respond(grpc);
    pour(stream, message(chunk));
  };
  const events = remote.service.getContainerEvents({}, call()) as AsyncIterable<unknown>;
  let read = 0;
  for await (const _event of events) if (++read === 10) break;
  expect(taken).toBeLessThan(LARGEST_MESSAGE);
});

it.each<[what: string, answer: (stream: ServerHttp2Stream) => void]>([
  ['nothing', () => {}],
  ['a head alone', (stream) => stream.respond(grpc)],
  [
    'message after message',
    (stream) => {
      stream.respond(grpc);
      pour(stream, message(chunk));
    },
  ],
])('a call answered with %s ends when its client gives up', async (_, hostile) => {
  taken = 0;
  const runtime = hostileRuntime();
  const remote = createRemoteService(runtime.endpoint);
  closings.push(() => remote.close());
  const giveUp = new AbortController();
  runtime.answer = (stream) => {
    hostile(stream);
    giveUp.abort();
  };
  await expect(remote.service.version({ version: '' }, call(giveUp.signal))).rejects.toThrow(/cancel/i);
  expect(taken).toBeLessThan(LARGEST_MESSAGE);
});
