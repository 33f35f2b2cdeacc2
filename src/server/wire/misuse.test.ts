import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createVirtualClock } from '../../clock/virtual-clock.js';
import { FrameType, frame, frameReader, numberFrame, PREFACE, settings } from '../../cri/wire/frames.js';
import { encodeFields } from '../../cri/wire/hpack.js';
import { withPrefix } from '../../cri/wire/messages.js';
import { GrpcServer } from './grpc-server.js';
import type { IncomingCall } from './incoming-call.js';

let directory: string;
let path: string;
let server: Server;
let held: IncomingCall[];

beforeEach(async () => {
  held = [];
  const grpc = new GrpcServer({ clock: createVirtualClock(), largest: 1000 });
  grpc.register('/a/Hold', { kind: 'single', begin: (call) => held.push(call) });
  grpc.register('/a/Echo', { kind: 'single', begin: (call) => call.reply(call.request) });
  directory = await mkdtemp(join(tmpdir(), 'mockri-misuse-'));
  path = join(directory, 's');
  server = createServer((socket) => grpc.serve(socket, { number: 1, peer: 'unix#1' }));
  await new Promise<void>((resolve) => server.listen(path, resolve));
});

afterEach(async () => {
  server.close();
  await rm(directory, { recursive: true, force: true });
});

/** What the server says until it hangs up: frames as type, stream and payload. */
function talk(...said: readonly Buffer[]): Promise<[type: number, stream: number, payload: Buffer][]> {
  return new Promise((resolve) => {
    const heard: [number, number, Buffer][] = [];
    const read = frameReader((type, _, stream, payload) => heard.push([type, stream, payload]));
    const socket = connect(path, () => socket.write(Buffer.concat([PREFACE, ...said])));
    socket.on('data', read).on('error', () => {});
    socket.on('close', () => resolve(heard));
  });
}

const HELLO = settings({});
const fieldsTo = (rpc: string) =>
  encodeFields([
    [':method', 'POST'],
    [':path', `/a/${rpc}`],
    ['content-type', 'application/grpc'],
  ]);
const END_STREAM = 1;
const END_HEADERS = 4;
const begin = (id: number, rpc = 'Hold') => frame(FrameType.headers, END_HEADERS, id, fieldsTo(rpc));
const request = (id: number) => frame(FrameType.data, END_STREAM, id, withPrefix(Buffer.from('x')));
const large = encodeFields(Array.from({ length: 20 }, (_, index) => [`x-${index}`, 'x'.repeat(4000)]));

test.each<[string, ...Buffer[]]>([
  ['no settings first', begin(1)],
  ['a stream of a number for servers', HELLO, begin(2)],
  ['stream 0', HELLO, begin(0)],
  ['data of no stream', HELLO, request(1)],
  ['data behind the end', HELLO, begin(1), request(1), request(1)],
  ['a reset of no stream', HELLO, numberFrame(FrameType.rstStream, 1, 8)],
  ['a push', HELLO, frame(FrameType.pushPromise, END_HEADERS, 1, fieldsTo('Hold'))],
  ['a ping of nine bytes', HELLO, frame(FrameType.ping, 0, 0, Buffer.alloc(9))],
  ['settings of seven bytes', frame(FrameType.settings, 0, 0, Buffer.alloc(7))],
  ['too small frames', settings({ 5: 16_383 })],
  ['too wide windows', settings({ 4: 2 ** 31 })],
  ['a window that is not made larger', HELLO, numberFrame(FrameType.windowUpdate, 0, 0)],
  ['a window over all bounds', HELLO, numberFrame(FrameType.windowUpdate, 0, 2 ** 31 - 1)],
  ['headers amid a stream', HELLO, begin(1), begin(1)],
  ['a frame amid headers', HELLO, frame(FrameType.headers, 0, 1, fieldsTo('Hold')), HELLO],
  ['the rest of no headers', HELLO, frame(FrameType.continuation, END_HEADERS, 1, fieldsTo('Hold'))],
  ['nonsense for headers', HELLO, frame(FrameType.headers, END_HEADERS, 1, Buffer.from([0xff, 0xff, 0xff]))],
  ['too many headers', HELLO, ...inPieces(large)],
  ['headers without an end', HELLO, ...inPieces(Buffer.alloc(90_000, fieldsTo('Hold')))],
  ['a frame of 17 kB', HELLO, frame(99, 0, 0, Buffer.alloc(17_000))],
  ['more padding than bytes', HELLO, frame(FrameType.headers, END_HEADERS + 8, 1, Buffer.from([9, 0]))],
])('%s ends the connection', async (_, ...said) => {
  const heard = await talk(...said);
  const [type, , payload] = heard.at(-1) ?? [];
  expect(type).toBe(FrameType.goaway);
  expect(payload?.readUInt32BE(4)).toBe(1);
  expect(held.every(({ isCancelled }) => isCancelled)).toBe(true);
});

function inPieces(block: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < block.length; at += 16_000) {
    const type = at === 0 ? FrameType.headers : FrameType.continuation;
    pieces.push(
      frame(type, at + 16_000 >= block.length ? END_HEADERS : 0, 1, block.subarray(at, at + 16_000)),
    );
  }
  return pieces;
}

test('what a newer HTTP/2 may bring is passed over', async () => {
  const padded = Buffer.concat([Buffer.from([3]), withPrefix(Buffer.from('hi')), Buffer.alloc(3)]);
  const priority = Buffer.concat([Buffer.from([0, 0, 0, 0, 9]), fieldsTo('Echo')]);
  const heard = await talk(
    settings({ 99: 1, 2: 0 }),
    frame(99, 255, 7, Buffer.from('what')),
    frame(FrameType.priority, 0, 1, Buffer.alloc(5)),
    frame(FrameType.headers, END_HEADERS + 32, 1, priority),
    frame(FrameType.data, END_STREAM + 8, 1, padded),
    frame(FrameType.ping, 0, 0, Buffer.from('12345678')),
    numberFrame(FrameType.windowUpdate, 1, 9),
    numberFrame(FrameType.rstStream, 1, 8),
    // Ends it.
    numberFrame(FrameType.windowUpdate, 0, 0),
  );
  const echo = heard.find(([type]) => type === FrameType.data)?.[2];
  expect(echo).toEqual(withPrefix(Buffer.from('hi')));
  expect(heard.find(([type]) => type === FrameType.ping)?.[2].toString()).toBe('12345678');
  expect(heard.filter(([type]) => type === FrameType.rstStream)).toEqual([]);
});
