import { mkdtemp, rm } from 'node:fs/promises';
import { type ClientHttp2Session, type ClientHttp2Stream, connect as connectHttp2 } from 'node:http2';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until, untilStill } from '../../../test/support/turns.js';
import { createVirtualClock, type VirtualClock } from '../../clock/virtual-clock.js';
import { withPrefix } from '../../cri/wire/messages.js';
import type { Http2ServerConnection } from './connection.js';
import { GrpcServer } from './grpc-server.js';
import type { IncomingCall } from './incoming-call.js';

const LARGEST = 2_000_000;

let directory: string;
let server: Server;
let clock: VirtualClock;
let session: ClientHttp2Session;
let connection: Http2ServerConnection | undefined;
let handle: (call: IncomingCall) => void;

beforeEach(async () => {
  clock = createVirtualClock();
  connection = undefined;
  const grpc = new GrpcServer({ clock, largest: LARGEST });
  grpc.register('/a/B', { kind: 'single', begin: (call) => handle(call) });
  directory = await mkdtemp(join(tmpdir(), 'mockri-server-wire-'));
  server = createServer((socket) => {
    connection = grpc.serve(socket, { number: 1, peer: 'unix#1' });
  });
  await new Promise<void>((resolve) => server.listen(join(directory, 's'), resolve));
  session = connect();
});

afterEach(async () => {
  session.destroy();
  server.close();
  await rm(directory, { recursive: true, force: true });
});

function connect(settings = {}): ClientHttp2Session {
  const made = connectHttp2('http://localhost', {
    path: join(directory, 's'),
    settings,
  } as object);
  made.on('error', () => {});
  return made;
}

interface Answer {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
  readonly http2Code: number | undefined;
}

const REQUEST = { ':method': 'POST', ':path': '/a/B', 'content-type': 'application/grpc' };

function open(fields: Record<string, string | string[]> = {}, options = {}): ClientHttp2Stream {
  const stream = session.request({ ...REQUEST, ...fields }, options);
  stream.on('error', () => {});
  return stream;
}

function answerTo(stream: ClientHttp2Stream): Promise<Answer> {
  return new Promise((resolve) => {
    let fields = {};
    const pieces: Buffer[] = [];
    const note = (more: object) => {
      fields = { ...fields, ...more };
    };
    stream.on('response', note).on('trailers', note);
    stream.on('data', (bytes: Buffer) => pieces.push(bytes));
    stream.on('close', () => resolve({ fields, body: Buffer.concat(pieces), http2Code: stream.rstCode }));
  });
}

function call(body: Buffer = withPrefix(Buffer.alloc(0)), fields = {}): Promise<Answer> {
  const stream = open(fields);
  stream.end(body);
  return answerTo(stream);
}

const statusOf = ({ fields }: Answer) => Number(fields['grpc-status']);

describe('requests', () => {
  test('come with whatever fields a client compresses, call after call', async () => {
    const text = fc.string({
      unit: fc.integer({ min: 33, max: 126 }).map((code) => String.fromCharCode(code)),
      maxLength: 300,
    });
    const names = fc.constantFrom('x-one', 'x-two', 'x-three', 'cookie', 'user-agent');
    await fc.assert(
      fc.asyncProperty(fc.dictionary(names, text, { noNullPrototype: true }), async (given) => {
        let seen: object = {};
        handle = (call) => {
          seen = call.metadata.getMap();
          call.reply(Buffer.alloc(0));
        };
        expect(statusOf(await call(undefined, given))).toBe(0);
        expect(seen).toEqual(given);
      }),
    );
  });

  test.each([0, 1, 16_384, 70_000, 1_500_000])('of %i bytes arrive as they were', async (size) => {
    const body = Buffer.from(Uint8Array.from({ length: size }, (_, index) => index * 31));
    handle = (call) => call.reply(call.request);
    expect((await call(withPrefix(body))).body.subarray(5).equals(body)).toBe(true);
  });

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
  ])('may be compressed with %s', async (encoding, compress) => {
    const body = withPrefix(compress(Buffer.alloc(9, 7)));
    body[0] = 1;
    handle = (call) => call.reply(call.request);
    const { body: echoed } = await call(body, { 'grpc-encoding': encoding });
    expect(echoed).toEqual(withPrefix(Buffer.alloc(9, 7)));
  });

  const flagged = (bytes: Buffer, flag = 1) => {
    const body = withPrefix(bytes);
    body[0] = flag;
    return body;
  };
  test.each([
    ['too large', withPrefix(Buffer.alloc(LARGEST + 1)), {}, 8],
    [
      'too large when it is unpacked',
      flagged(gzipSync(Buffer.alloc(LARGEST + 1))),
      { 'grpc-encoding': 'gzip' },
      8,
    ],
    ['no gzip', flagged(Buffer.from('x')), { 'grpc-encoding': 'gzip' }, 13],
    ['compressed in an unknown way', flagged(Buffer.from('x')), { 'grpc-encoding': 'constructor' }, 12],
    ['flagged with nonsense', flagged(Buffer.from('x'), 2), {}, 13],
    ['not there', Buffer.alloc(0), {}, 12],
    ['one of two', Buffer.concat([withPrefix(Buffer.alloc(1)), withPrefix(Buffer.alloc(1))]), {}, 12],
    ['not whole', withPrefix(Buffer.alloc(9)).subarray(0, 9), {}, 13],
  ])('whose message is %s are refused', async (_, body, fields, code) => {
    handle = (call) => call.reply(Buffer.alloc(0));
    expect(statusOf(await call(body, fields))).toBe(code);
    expect(statusOf(await call())).toBe(0);
  });

  test.each([
    [{ ':method': 'GET' }, { ':status': 405 }],
    [{ 'content-type': 'text/html' }, { ':status': 415 }],
    [
      { ':path': '/a/C' },
      { ':status': 200, 'grpc-status': '12', 'grpc-message': 'unknown method C for service a' },
    ],
  ])('that are %j are told', async (fields, answer) => {
    expect((await call(undefined, fields)).fields).toMatchObject(answer);
  });

  test('may end with trailers', async () => {
    handle = (call) => call.reply(call.request);
    const stream = open({}, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'x-last': 'word' }));
    stream.end(withPrefix(Buffer.from('hello')));
    expect((await answerTo(stream)).body.subarray(5).toString()).toBe('hello');
  });

  test('end when their time is over', async () => {
    let held: IncomingCall | undefined;
    handle = (call) => {
      held = call;
    };
    const answer = call(undefined, { 'grpc-timeout': '1500m' });
    await until(() => held !== undefined);
    let isTold = false;
    held?.onCancel(() => {
      isTold = true;
    });
    await clock.advance(1499);
    expect([isTold, held?.isCancelled]).toEqual([false, false]);
    await clock.advance(1);
    expect([isTold, held?.isCancelled]).toEqual([true, true]);
    expect(statusOf(await answer)).toBe(4);
  });

  test.each(['1', '123456789S', 'soon'])('with the timeout %s are refused', async (timeout) => {
    handle = (call) => call.reply(Buffer.alloc(0));
    expect(statusOf(await call(undefined, { 'grpc-timeout': timeout }))).toBe(13);
  });

  test('may be taken back', async () => {
    let seen: IncomingCall | undefined;
    handle = (call) => {
      seen = call;
    };
    const stream = open();
    stream.end(withPrefix(Buffer.alloc(0)));
    await until(() => seen !== undefined);
    stream.close(8);
    await until(() => seen?.isCancelled === true);
    seen?.reply(Buffer.alloc(9));
    handle = (call) => call.reply(Buffer.alloc(0));
    expect(statusOf(await call())).toBe(0);
  });
});

describe('replies', () => {
  test('side by side pass through windows of any size', async () => {
    session.destroy();
    session = connect({ initialWindowSize: 700 });
    handle = (call) => call.reply(Buffer.alloc(30_000, call.request[0]));
    const answers = await Promise.all([1, 2, 3].map((byte) => call(withPrefix(Buffer.from([byte])))));
    expect(answers.map(({ body }) => body.subarray(5))).toEqual(
      [1, 2, 3].map((byte) => Buffer.alloc(30_000, byte)),
    );
    expect(answers.map(statusOf)).toEqual([0, 0, 0]);
  });

  test('go on when a window is made larger by a setting', async () => {
    session.destroy();
    session = connect({ initialWindowSize: 0 });
    handle = (call) => call.reply(Buffer.from('late'));
    const answer = call();
    await until(() => connection !== undefined);
    session.settings({ initialWindowSize: 100 });
    expect((await answer).body.subarray(5).toString()).toBe('late');
  });

  test('of a stream wait for a client that does not read, and end when it leaves', async () => {
    let sent = 0;
    let made: IncomingCall | undefined;
    const pump = () => {
      while (made?.isCancelled === false && sent < 1e6) {
        sent++;
        if (!made.write(Buffer.alloc(10_000))) {
          made.onDrained(pump);
          return;
        }
      }
    };
    handle = (call) => {
      made = call;
      pump();
    };
    const stream = open();
    stream.end(withPrefix(Buffer.alloc(0)));
    stream.pause();
    await until(() => sent > 0);
    await untilStill(() => sent);
    expect(sent).toBeLessThan(100);
    stream.close(8);
    await until(() => made?.isCancelled === true);
    expect(sent).toBeLessThan(100);
  });

  test.each([
    ['nothing', ''],
    ['spaces at both ends', ' x '],
    ['what no header may hold', '100 % of Zürich 漢字 \n'],
    ['more than a frame holds', '漢'.repeat(4096)],
  ])('say %s in their status', async (_, details) => {
    handle = (call) => call.end({ code: 9, details });
    const { fields } = await call();
    expect(statusOf({ fields } as Answer)).toBe(9);
    expect(decodeURIComponent(String(fields['grpc-message'] ?? ''))).toBe(details);
  });

  test('can be cut off with any code', async () => {
    handle = (call) => {
      call.write(Buffer.from('half'));
      expect(call.reset(2)).toBe(true);
      expect(call.reset(2)).toBe(false);
    };
    expect(await call()).toMatchObject({ http2Code: 2 });
  });
});

test('a connection that is left lets its calls end, and takes no others', async () => {
  let last: IncomingCall | undefined;
  handle = (call) => {
    last = call;
  };
  const answer = call();
  await until(() => last !== undefined);
  connection?.leave();
  await new Promise((resolve) => session.once('goaway', resolve));
  last?.reply(Buffer.from('the last'));
  expect((await answer).body.subarray(5).toString()).toBe('the last');
  await until(() => session.closed);
});
