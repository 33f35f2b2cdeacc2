import { once } from 'node:events';
import { connect, type NetConnectOpts, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, it } from 'vitest';
import { useTemporaryDirectories } from '../../support/temporary.js';
import { callHead, END_HEADERS, frame, PREFACE } from '../http2.js';
import { growsAtMost, killVictims, startVictim, type Victim } from '../kit.js';

// Each piece of a message costs the server an object: what is counted as its bytes must be all that it holds.

const temporary = useTemporaryDirectories();
const sockets = new Set<Socket>();
const ends = new WeakMap<Socket, Promise<unknown>>();
afterEach(() => {
  killVictims();
  for (const socket of sockets) socket.destroy();
  sockets.clear();
});

const MIB = 1024 * 1024;
const DATA = 0;
const HEADERS = 1;
/** What a client may send on a stream before it hears from the server (RFC 9113, 6.9.2). */
const WINDOW = 60_000;
const STREAMS = 60;
const HEAD = callHead('/runtime.v1.RuntimeService/Version');

async function dial(target: NetConnectOpts): Promise<Socket> {
  const socket = connect(target);
  sockets.add(socket);
  ends.set(socket, new Promise((resolve) => socket.once('close', resolve)));
  socket.on('error', () => {}).resume();
  await once(socket, 'connect');
  return socket;
}

/** When a connection has ended, for whatever reason. */
const ended = (socket: Socket): Promise<unknown> => ends.get(socket) ?? Promise.resolve();

async function send(socket: Socket, bytes: Buffer): Promise<void> {
  if (socket.destroyed) return;
  const written = new Promise((resolve) => socket.write(bytes, resolve));
  await Promise.race([written, ended(socket)]);
}

/** Ends the attack when the server has read what was sent, or hung up. */
async function readByServer(socket: Socket): Promise<void> {
  if (socket.destroyed) return;
  const ping = frame(6, 0, 0, Buffer.alloc(8));
  const answered = new Promise<void>((resolve) =>
    socket.on('data', (chunk: Buffer) => {
      if (chunk.includes(Buffer.from('000008060100000000', 'hex'))) resolve();
    }),
  );
  await send(socket, ping);
  await Promise.race([answered, ended(socket)]);
}

const repeat = (count: number, bytes: Buffer): Buffer => Buffer.alloc(bytes.length * count, bytes);

/** What is sent on each stream of a connection, after the head. */
const bodies: Readonly<Record<string, (stream: number) => Buffer>> = {
  'a message of 15.6 MB in DATA frames of one byte': (stream) =>
    Buffer.concat([
      frame(DATA, 0, stream, Buffer.from([0, 0, 0xee, 0, 0])),
      repeat(WINDOW, frame(DATA, 0, stream, Buffer.of(0))),
    ]),
  'empty messages without end': (stream) => repeat(3, frame(DATA, 0, stream, Buffer.alloc(16_000))),
};

async function open(
  victim: Victim,
  headers: Buffer,
  body: (stream: number) => Buffer,
  streams = STREAMS,
): Promise<void> {
  const socket = await dial({ path: victim.socket });
  await send(socket, PREFACE);
  for (let n = 0; n < streams; n++) {
    const stream = 2 * n + 1;
    await send(socket, Buffer.concat([frame(HEADERS, END_HEADERS, stream, headers), body(stream)]));
  }
  await readByServer(socket);
}

it.each(Object.entries(bodies))('holds no more than the bytes of %s', async (_, body) => {
  const victim = await startVictim(temporary());
  await growsAtMost(200 * MIB, victim, open(victim, HEAD, body));
  await victim.version();
  for (const socket of sockets) socket.destroy();
  expect(await victim.stop()).toBe(0);
});

it('counts compressed messages by their decompressed size', async () => {
  const victim = await startVictim(temporary());
  const bomb = gzipSync(Buffer.alloc(15 * MIB));
  const prefix = Buffer.alloc(5);
  prefix[0] = 1;
  prefix.writeUInt32BE(bomb.length, 1);
  const encoding = callHead('/runtime.v1.RuntimeService/Version', { 'grpc-encoding': 'gzip' });
  const compressed = (stream: number) =>
    Buffer.concat([frame(DATA, 0, stream, prefix), frame(DATA, 0, stream, bomb)]);
  // 4.5 GB, of which the server may hold 256 MiB: once in pieces, and once as messages.
  const attack = async () => {
    await open(victim, encoding, compressed, 300);
    await Promise.all([...sockets].map(ended));
  };
  await growsAtMost(1024 * MIB, victim, attack());
  await victim.version();
  for (const socket of sockets) socket.destroy();
  expect(await victim.stop()).toBe(0);
});

it('holds no more than the bytes of control requests in chunks of one byte', async () => {
  const victim = await startVictim(temporary(), ['--control', '127.0.0.1:0']);
  const { hostname, port } = new URL(victim.control ?? '');
  const head = 'POST /v1/faults HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n';
  const clients = await Promise.all(
    Array.from({ length: 16 }, () => dial({ host: hostname, port: Number(port) })),
  );
  // 408: a slow machine needs more than the 30 s that a request has.
  const answers = clients.map((socket) => once(socket, 'data').then(([answer]) => String(answer)));
  const attack = async () => {
    for (const socket of clients) await send(socket, Buffer.from(head));
    // All bodies grow at the same time, and none ends before all are there.
    for (const socket of clients) await send(socket, repeat(200_000, Buffer.from('1\r\nx\r\n')));
    for (const socket of clients) await send(socket, Buffer.from('0\r\n\r\n'));
    expect(await Promise.all(answers)).toEqual(
      answers.map(() => expect.stringMatching(/^HTTP.1.1 (400|408) /)),
    );
  };
  await growsAtMost(250 * MIB, victim, attack());
  await victim.version();
  for (const socket of sockets) socket.destroy();
  expect(await victim.stop()).toBe(0);
});
