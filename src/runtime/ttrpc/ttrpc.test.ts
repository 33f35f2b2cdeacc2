import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import fc from '../../../test/support/properties.js';
import { useTemporaryDirectory } from '../../../test/support/temporary.js';
import { pipePair } from '../../../test/support/ttrpc/pipe-pair.js';
import { createRealClock } from '../../base/clock/real-clock.js';
import { turn } from '../../base/clock/turn.js';
import { VersionRequest } from '../../cri/gen/runtime/v1/api.js';
import { createClient } from './client.js';
import { statusError, TtrpcError } from './error.js';
import { encodeFrame, type Frame, FrameReader, FrameType } from './frame.js';
import { LARGEST_MESSAGE, MOST_CALLS, MOST_MISTAKES } from './limits.js';
import { decodeResponse, encodeRequest, encodeResponse } from './messages.js';
import { multiplex } from './mux.js';
import { type Pipe, pipeOf } from './pipe.js';
import { type Implementation, serve, served } from './server.js';

const directory = useTemporaryDirectory();

// Any message does.
const text = VersionRequest;
const method = { requestType: text, responseType: text } as const;
const Echo = {
  fullName: 'test.Echo',
  methods: { say: { ...method, name: 'Say' } },
} as const;

const message = (version: string) => ({ version });
const echo: Implementation<typeof Echo> = { say: (request) => request };

function connected(
  handlers: Partial<Implementation<typeof Echo>> = {},
  clock = createRealClock(),
  pieces?: number[],
) {
  const [near, far] = pipePair(pieces);
  serve(far, [served(Echo, { ...echo, ...handlers })], clock);
  return { client: createClient(near, clock), far };
}

test('calls get their own answers, any number at once, however the bytes are cut', async () => {
  const texts = fc.array(fc.string(), { maxLength: 20 });
  const pieces = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(texts, pieces, async (given, sizes) => {
      const { client } = connected({}, createRealClock(), sizes);
      const answers = await Promise.all(given.map((each) => client.call(Echo, 'say', message(each))));
      expect(answers.map(({ version }) => version)).toEqual(given);
    }),
  );
});

test('an error has its code and text; one without a code is UNKNOWN', async () => {
  const { client } = connected({
    say: ({ version }) => {
      throw version === 'broken' ? new Error('broken') : statusError(5, 'no such thing');
    },
  });
  await expect(client.call(Echo, 'say', message(''))).rejects.toMatchObject({
    kind: 'status',
    code: 5,
    message: 'no such thing',
  });
  await expect(client.call(Echo, 'say', message('broken'))).rejects.toMatchObject({
    code: 2,
    message: 'broken',
  });
});

test('of the text of an error no more is kept than a client of the runtime gets', async () => {
  const { client } = connected({
    say: () => {
      throw statusError(5, 'x'.repeat(1 << 20));
    },
  });
  const error = await client.call(Echo, 'say', message('')).catch((thrown: Error) => thrown);
  expect(error).toHaveProperty('message', `${'x'.repeat(4095)}…`);
});

test('an unknown method is UNIMPLEMENTED', async () => {
  const { client } = connected();
  const Other = { ...Echo, fullName: 'test.Other' };
  const Newer = { ...Echo, methods: { ...Echo.methods, shout: { ...method, name: 'Shout' } } };
  await expect(client.call(Other, 'say', message(''))).rejects.toMatchObject({
    code: 12,
    message: 'service test.Other',
  });
  await expect(client.call(Newer, 'shout', message(''))).rejects.toMatchObject({
    code: 12,
    message: 'method Shout',
  });
});

test('a timeout ends the call here, and the handler there', async () => {
  let tell = () => {};
  const aborted = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const { client } = connected({
    say: (_, { signal }) =>
      new Promise(() => {
        signal.addEventListener('abort', tell);
      }),
  });
  const call = client.call(Echo, 'say', message(''), { timeout: 5 });
  await expect(call).rejects.toMatchObject({ kind: 'timeout', code: 4 });
  await aborted;
});

test('a caller that gives up learns it, and the late answer disturbs nobody', async () => {
  let answer = () => {};
  const { client } = connected({
    say: ({ version }) =>
      version === 'slow'
        ? new Promise((resolve) => {
            answer = () => resolve(message('late'));
          })
        : message(version),
  });
  const gone = new AbortController();
  const call = client.call(Echo, 'say', message('slow'), { signal: gone.signal });
  gone.abort();
  await expect(call).rejects.toMatchObject({ kind: 'cancelled' });
  answer();
  expect(await client.call(Echo, 'say', message('next'))).toEqual(message('next'));
});

test('all calls fail when the connection is lost', async () => {
  const { client, far } = connected({ say: () => new Promise(() => {}) });
  const call = client.call(Echo, 'say', message(''));
  far.close();
  await expect(call).rejects.toMatchObject({ kind: 'closed', message: 'ttrpc: closed' });
  await expect(client.call(Echo, 'say', message(''))).rejects.toMatchObject({ kind: 'closed' });
});

test('a message that is too long is refused where it is made, with its length', async () => {
  const { client } = connected({ say: ({ version }) => message(version.repeat(1000)) });
  const long = 'x'.repeat(LARGEST_MESSAGE);
  await expect(client.call(Echo, 'say', message(long))).rejects.toMatchObject({
    kind: 'oversized',
    code: 8,
    length: expect.toSatisfy((length: number) => length > LARGEST_MESSAGE),
  });
  await expect(client.call(Echo, 'say', message('x'.repeat(5000)))).rejects.toMatchObject({
    kind: 'status',
    code: 8,
  });
});

/** A peer that says what it wants, and what it is answered. */
function rawPeer(handlers: Partial<Implementation<typeof Echo>> = {}) {
  const [near, far] = pipePair();
  serve(far, [served(Echo, { ...echo, ...handlers })], createRealClock());
  const answers: Frame[] = [];
  let isClosed = false;
  const reader = new FrameReader({ frame: (frame) => answers.push(frame), oversized: () => {} });
  near.listen({
    data: (chunk) => reader.push(chunk),
    closed: () => {
      isClosed = true;
    },
  });
  const settle = turn;
  return { pipe: near, answers, settle, isClosed: () => isClosed };
}

const request = (stream: number, name = 'Say', payload = Buffer.alloc(0)): Buffer =>
  encodeFrame({
    stream,
    type: FrameType.Request,
    flags: 0,
    payload: encodeRequest({ service: 'test.Echo', method: name, payload, timeout: 0n, metadata: [] }),
  });
const codesOf = (answers: readonly Frame[]) =>
  answers.map(({ stream, payload }) => [stream, decodeResponse(payload).status?.code]);

test('numbers of streams are odd and grow; other messages are answered with INVALID_ARGUMENT', async () => {
  const { pipe, answers, settle } = rawPeer();
  pipe.write(request(2));
  pipe.write(request(5));
  await settle();
  pipe.write(request(5));
  pipe.write(request(3));
  pipe.write(encodeFrame({ stream: 9, type: FrameType.Data, flags: 0, payload: Buffer.alloc(0) }));
  pipe.write(encodeFrame({ stream: 11, type: FrameType.Request, flags: 0, payload: Buffer.from([0xff]) }));
  pipe.write(encodeFrame({ stream: 13, type: 77, flags: 0, payload: Buffer.alloc(0) }));
  pipe.write(request(15));
  await settle();
  expect(codesOf(answers).sort()).toEqual(
    [
      [2, 3],
      [5, 3],
      [5, 0],
      [3, 3],
      [9, 3],
      [11, 3],
      [15, 0],
    ].sort(),
  );
});

test('a peer that makes mistakes without end is cut off', async () => {
  const { pipe, answers, settle, isClosed } = rawPeer();
  for (let count = 0; count < 10 * MOST_MISTAKES; count += 1) pipe.write(request(2));
  await settle();
  expect(isClosed()).toBe(true);
  expect(answers).toHaveLength(MOST_MISTAKES);
});

test('a peer has a limited number of calls in progress', async () => {
  const { pipe, answers, settle } = rawPeer({ say: () => new Promise(() => {}) });
  for (let count = 0; count < MOST_CALLS + 3; count += 1) pipe.write(request(2 * count + 1));
  await settle();
  expect(codesOf(answers).map(([, code]) => code)).toEqual([8, 8, 8]);
});

test('a server survives any bytes, and serves the next peer', async () => {
  const junk = fc.array(fc.uint8Array({ minLength: 1, maxLength: 100 }), { maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(junk, async (chunks) => {
      const { pipe, settle } = rawPeer();
      for (const chunk of chunks) pipe.write(Buffer.from(chunk));
      await settle();
    }),
    { numRuns: 50 },
  );
});

test('a server survives frames of any kind', async () => {
  const frame = fc.record({
    stream: fc.integer({ min: 0, max: 20 }),
    type: fc.integer({ min: 0, max: 4 }),
    flags: fc.integer({ min: 0, max: 7 }),
    payload: fc
      .oneof(
        fc.uint8Array({ maxLength: 20 }),
        fc.constantFrom('Say', 'Join').map((name) =>
          encodeRequest({
            service: 'test.Echo',
            method: name,
            payload: Buffer.alloc(0),
            timeout: 1n,
            metadata: [],
          }),
        ),
      )
      .map((array) => Buffer.from(array)),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(frame, { maxLength: 30 }), async (frames) => {
      const { pipe, settle, answers } = rawPeer();
      for (const each of frames) pipe.write(encodeFrame(each));
      await settle();
      for (const answer of answers) if (answer.type === FrameType.Response) decodeResponse(answer.payload);
    }),
    { numRuns: 200 },
  );
});

/** A client whose server answers what a test wants. */
function rawServer() {
  const [near, far] = pipePair();
  const asked: Frame[] = [];
  const reader = new FrameReader({ frame: (frame) => asked.push(frame), oversized: () => {} });
  far.listen({ data: (chunk) => reader.push(chunk), closed: () => {} });
  const client = createClient(near, createRealClock());
  const answer = (stream: number, version: string): Buffer => {
    const payload = encodeResponse({
      status: undefined,
      payload: Buffer.from(text.encode(message(version)).finish()),
    });
    return encodeFrame({ stream, type: FrameType.Response, flags: 0, payload });
  };
  return { client, pipe: far, asked, answer };
}

test('an answer that comes twice counts once, and the next call gets its own', async () => {
  const { client, pipe, asked, answer } = rawServer();
  const first = client.call(Echo, 'say', message(''));
  await turn();
  for (const version of ['first', 'again']) pipe.write(answer(asked[0]?.stream ?? 0, version));
  expect(await first).toEqual(message('first'));
  const second = client.call(Echo, 'say', message(''));
  pipe.write(answer(asked[0]?.stream ?? 0, 'and again'));
  await turn();
  pipe.write(answer(asked[1]?.stream ?? 0, 'second'));
  expect(await second).toEqual(message('second'));
});

test('a client survives frames of any kind, and gets the next answer', async () => {
  const frame = fc.record({
    // Not the stream of the last call.
    stream: fc.oneof(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 6, max: 0xffff_ffff })),
    type: fc.integer({ min: 0, max: 4 }),
    flags: fc.integer({ min: 0, max: 255 }),
    payload: fc.uint8Array({ maxLength: 30 }).map((array) => Buffer.from(array)),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(frame, { maxLength: 30 }), async (frames) => {
      const { client, pipe, asked, answer } = rawServer();
      const unary = client.call(Echo, 'say', message('')).catch((error: unknown) => error);
      const other = client.call(Echo, 'say', message('')).catch((error: unknown) => error);
      const last = client.call(Echo, 'say', message(''));
      await turn();
      for (const each of frames) pipe.write(encodeFrame(each));
      pipe.write(answer(asked[2]?.stream ?? 0, 'last'));
      expect(await last).toEqual(message('last'));
      client.close();
      for (const result of [await unary, await other])
        if (result instanceof Error) expect(result).toBeInstanceOf(TtrpcError);
    }),
    { numRuns: 200 },
  );
});

test('two connections on one pipe, each with its own calls, however the bytes are cut', async () => {
  const pieces = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(pieces, fc.string(), fc.string(), async (sizes, one, other) => {
      const clock = createRealClock();
      const [near, far] = pipePair(sizes);
      const [here, there] = [multiplex(near), multiplex(far)];
      serve(there.open(1), [served(Echo, { ...echo, say: () => message(other) })], clock);
      serve(here.open(2), [served(Echo, { ...echo, say: () => message(one) })], clock);
      const [toThere, toHere] = [createClient(here.open(1), clock), createClient(there.open(2), clock)];
      here.start();
      there.start();
      expect(await toThere.call(Echo, 'say', message(''))).toEqual(message(other));
      expect(await toHere.call(Echo, 'say', message(''))).toEqual(message(one));
      const lost = toThere.call(Echo, 'say', message(''));
      here.close();
      await expect(lost).rejects.toMatchObject({ kind: 'closed' });
    }),
    { numRuns: 50 },
  );
});

function trunkOf(): {
  readonly trunk: Pipe;
  readonly written: Buffer[];
  isClosed(): boolean;
  push(bytes: Buffer): void;
} {
  const written: Buffer[] = [];
  let closed = false;
  let push = (_: Buffer) => {};
  const trunk: Pipe = {
    listen: ({ data }) => {
      push = data;
    },
    write: (bytes) => {
      written.push(bytes);
    },
    close: () => {
      closed = true;
    },
  };
  return { trunk, written, isClosed: () => closed, push: (bytes) => push(bytes) };
}

test('a message is cut into the pieces that a Go program can read', () => {
  const { trunk, written } = trunkOf();
  const pipe = multiplex(trunk).open(7);
  pipe.listen({ data: () => {}, closed: () => {} });
  pipe.write(Buffer.alloc(4096));
  pipe.write(Buffer.alloc(5000));
  expect(written.map((piece) => [piece.readUInt32BE(0), piece.readUInt32BE(4), piece.length])).toEqual([
    [7, 4096, 4104],
    [7, 4096, 4104],
    [7, 904, 912],
  ]);
});

test('a piece of four gigabytes closes the pipe, and takes no memory', () => {
  const { trunk, isClosed, push } = trunkOf();
  const mux = multiplex(trunk);
  mux.open(1).listen({ data: () => {}, closed: () => {} });
  mux.start();
  push(Buffer.from([0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff]));
  expect(isClosed()).toBe(true);
});

test('a connection whose peer does not read is closed before its answers fill the memory', async () => {
  const path = join(directory, 'socket');
  const accepted = new Promise<Socket>((resolve) => {
    const server = createServer((socket) => {
      server.close();
      resolve(socket);
    }).listen(path);
  });
  const peer = connect(path);
  const socket = await accepted;
  const closed = new Promise<void>((resolve) => {
    const say = () => message('x'.repeat(LARGEST_MESSAGE / 2));
    serve(pipeOf(socket), [served(Echo, { ...echo, say })], createRealClock(), resolve);
  });
  peer.on('error', () => {});
  for (let count = 0; count < 50; count += 1) peer.write(request(2 * count + 1));
  await closed;
  expect(socket.destroyed).toBe(true);
  peer.destroy();
});
