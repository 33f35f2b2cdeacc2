import { mkdtemp, rm } from 'node:fs/promises';
import {
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Metadata } from '@grpc/grpc-js';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { until, untilStill } from '../../../test/support/turns.js';
import { createRealClock } from '../../clock/real-clock.js';
import { LARGEST_MESSAGE } from '../limits.js';
import type { CallStatus } from '../status-code.js';
import { Code } from '../status-code.js';
import { type Channel, type OutgoingCall, openChannel } from './channel.js';

type Handler = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;

let path: string;
let directory: string;
let server: Http2Server;
let handle: Handler;
let sessions: ServerHttp2Session[];
let channel: Channel;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'mockri-wire-'));
  path = join(directory, 'h2.sock');
  channel = openChannel(`unix://${path}`);
  await serve();
});

afterEach(async () => {
  channel.close();
  for (const session of sessions) session.destroy();
  server.close();
  await rm(directory, { recursive: true, force: true });
});

async function serve(settings = {}): Promise<void> {
  sessions = [];
  server = createServer({ settings });
  server.on('session', (session) => sessions.push(session));
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {});
    handle(stream, headers);
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
}

const OK = { 'grpc-status': '0' };

interface Ended {
  readonly status: CallStatus;
  readonly messages: readonly Buffer[];
}

/** Calls with a message of `size` bytes; `read` is asked after each reply whether to read on. */
function call(
  size = 0,
  read: (call: OutgoingCall, count: number) => boolean = () => true,
  deadline?: number,
): Promise<Ended> {
  return new Promise((resolve) => {
    const messages: Buffer[] = [];
    const request = { path: '/a/B', metadata: new Metadata(), message: Buffer.alloc(size, 7), deadline };
    const made = channel.start(request, {
      message: (bytes) => {
        messages.push(bytes);
        if (read(made, messages.length)) made.read();
      },
      end: ({ code, details }) => resolve({ status: { code, details }, messages }),
    });
  });
}

/** A message as gRPC sends it: uncompressed, its length before it. */
function withPrefix(message: Buffer): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

function answer(stream: ServerHttp2Stream, bytes: Buffer, trailers: Record<string, string> = OK): void {
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.once('wantTrailers', () => stream.sendTrailers(trailers));
  stream.end(bytes);
}

test('reads whatever header values a server compresses', async () => {
  const value = fc.string({
    unit: fc.integer({ min: 33, max: 126 }).map((code) => String.fromCharCode(code)),
  });
  await fc.assert(
    fc.asyncProperty(value, async (text) => {
      const message = text.replaceAll('%', '%25');
      handle = (stream) =>
        stream.respond({ 'grpc-status': '9', 'grpc-message': message }, { endStream: true });
      expect((await call()).status).toEqual({ code: 9, details: text });
    }),
  );
});

test('sends and takes more than the windows and frames hold', async () => {
  let received = 0;
  handle = (stream) => {
    stream.on('data', (bytes: Buffer) => {
      received += bytes.length;
    });
    stream.on('end', () => answer(stream, withPrefix(Buffer.alloc(900_000, 3))));
  };
  const { status, messages } = await call(700_000);
  expect(status.code).toBe(Code.OK);
  expect(received).toBe(700_005);
  expect(messages.map((bytes) => bytes.length)).toEqual([900_000]);
});

test('messages in pieces, several in one, and none', async () => {
  const bytes = Buffer.concat([
    withPrefix(Buffer.from('one')),
    withPrefix(Buffer.alloc(0)),
    withPrefix(Buffer.from('3')),
  ]);
  handle = (stream) => {
    stream.respond({ ':status': 200 }, { waitForTrailers: true });
    stream.once('wantTrailers', () => stream.sendTrailers(OK));
    for (const byte of bytes) stream.write(Buffer.from([byte]));
    stream.end();
  };
  expect((await call()).messages.map(String)).toEqual(['one', '', '3']);
  handle = (stream) => answer(stream, bytes);
  expect((await call()).messages.map(String)).toEqual(['one', '', '3']);
});

test('a call that does not read takes no more than a window', async () => {
  let written = 0;
  handle = (stream) => {
    stream.respond({ ':status': 200 }, { waitForTrailers: true });
    stream.once('wantTrailers', () => stream.sendTrailers(OK));
    const pump = () => {
      while (written < 100) {
        written++;
        if (!stream.write(withPrefix(Buffer.alloc(10_000)))) break;
      }
      if (written < 100) stream.once('drain', pump);
      else stream.end();
    };
    pump();
  };
  let held: OutgoingCall | undefined;
  let count = 0;
  const ended = call(0, (made) => {
    count++;
    if (count === 6 && held === undefined) {
      held = made;
      return false;
    }
    return true;
  });
  await until(() => count === 6);
  await untilStill(() => count);
  expect(count).toBe(6);
  expect(written).toBeLessThan(20);
  held?.read();
  expect((await ended).messages.length).toBe(100);
});

test('tells how a call ended that has no status of its own', async () => {
  const endings: [Handler, CallStatus][] = [
    [
      (stream) => stream.respond({ ':status': 503 }, { endStream: true }),
      { code: Code.UNAVAILABLE, details: 'unexpected HTTP status code received from server: 503' },
    ],
    [
      (stream) => {
        stream.respond({ ':status': 404 });
        stream.end('not here');
      },
      { code: Code.UNIMPLEMENTED, details: 'unexpected HTTP status code received from server: 404' },
    ],
    [
      (stream) => {
        stream.respond({ ':status': 200 });
        stream.end();
      },
      { code: Code.INTERNAL, details: 'server closed the stream without sending trailers' },
    ],
    [
      (stream) => stream.close(2),
      { code: Code.INTERNAL, details: 'stream terminated by RST_STREAM with error code: INTERNAL_ERROR' },
    ],
    [
      (stream) => answer(stream, Buffer.from([1, 0, 0, 0, 0])),
      { code: Code.INTERNAL, details: 'a compressed message came, which was not asked for' },
    ],
    [
      (stream) => answer(stream, Buffer.from([0, 1, 0, 0, 1])),
      {
        code: Code.RESOURCE_EXHAUSTED,
        details: `Received message larger than max (${LARGEST_MESSAGE + 1} vs ${LARGEST_MESSAGE})`,
      },
    ],
    [
      (stream) => stream.session?.destroy(),
      { code: Code.UNAVAILABLE, details: 'error reading from server: EOF' },
    ],
  ];
  for (const [ending, status] of endings) {
    handle = ending;
    expect((await call()).status).toEqual(status);
  }
});

test('reads trailers of many frames', async () => {
  const details = 'x'.repeat(40_000);
  handle = (stream) => answer(stream, Buffer.alloc(0), { 'grpc-status': '5', 'grpc-message': details });
  expect((await call()).status).toEqual({ code: Code.NOT_FOUND, details });
});

test('sends a refused call a second time, not a third', async () => {
  let refused = 0;
  handle = (stream) => {
    refused++;
    stream.close(7);
  };
  expect((await call()).status.code).toBe(Code.UNAVAILABLE);
  expect(refused).toBe(2);
});

test('after GOAWAY what is under way ends, and the next call dials', async () => {
  let release = () => {};
  let isSentAway = false;
  handle = (stream) => {
    release = () => answer(stream, withPrefix(Buffer.from('late')));
    stream.session?.goaway(0, stream.id);
    isSentAway = true;
  };
  const under = call();
  await until(() => isSentAway);
  await untilStill(() => sessions.length);
  handle = (stream) => answer(stream, withPrefix(Buffer.from('new')));
  expect((await call()).messages.map(String)).toEqual(['new']);
  expect(sessions.length).toBe(2);
  release();
  expect(await under).toMatchObject({ status: { code: 0 }, messages: [Buffer.from('late')] });
});

test('waits for room where the server allows few streams', async () => {
  server.close();
  await rm(path, { force: true });
  await serve({ maxConcurrentStreams: 1 });
  let open = 0;
  let most = 0;
  handle = (stream) => {
    most = Math.max(most, ++open);
    stream.resume();
    stream.on('end', () => {
      open--;
      answer(stream, withPrefix(Buffer.alloc(0)));
    });
  };
  await channel.waitForReady(5000);
  const ended = await Promise.all([call(), call(), call()]);
  expect(ended.map(({ status }) => status.code)).toEqual([0, 0, 0]);
  expect(most).toBe(1);
});

test('fails at once where nobody listens, and finds a server that comes back', async () => {
  for (const session of sessions) session.destroy();
  server.close();
  await rm(path, { force: true });
  const details = `connection error: desc = "transport: Error while dialing: dial unix ${path}: connect: no such file or directory"`;
  expect((await call()).status).toEqual({ code: Code.UNAVAILABLE, details });
  expect((await call()).status).toEqual({ code: Code.UNAVAILABLE, details });
  await expect(channel.waitForReady(1)).rejects.toThrow(`no connection to unix://${path}`);
  await serve();
  handle = (stream) => answer(stream, withPrefix(Buffer.alloc(0)));
  await channel.waitForReady(5000);
  expect((await call()).status.code).toBe(Code.OK);
});

test('a call whose deadline passes, and one to a port where nobody listens', async () => {
  handle = () => {};
  const soon = Number(createRealClock().now() / 1_000_000n) + 30;
  const late = await call(0, () => true, soon);
  expect(late.status).toEqual({ code: Code.DEADLINE_EXCEEDED, details: 'context deadline exceeded' });

  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address() as AddressInfo;
  await new Promise((resolve) => taken.close(resolve));
  channel.close();
  channel = openChannel(`tcp://127.0.0.1:${port}`);
  const details = `connection error: desc = "transport: Error while dialing: dial tcp 127.0.0.1:${port}: connect: connection refused"`;
  expect((await call()).status).toEqual({ code: Code.UNAVAILABLE, details });
});
