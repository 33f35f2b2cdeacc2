import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createRealClock } from '../../../src/base/clock/real-clock.js';
import type { StreamingServer } from '../../../src/runtime/engine/streaming.js';
import { startStreamingServer } from '../../../src/runtime/streaming/server.js';
import { EXEC, type TestHandler, testHandler } from './handler.js';

let handler: TestHandler;
let server: StreamingServer;

beforeEach(async () => {
  handler = testHandler();
  server = await startStreamingServer({ handler, clock: createRealClock() });
});
afterEach(() => server.close());

interface Session {
  readonly socket: WebSocket;
  /** Received messages. */
  readonly messages: Buffer[];
  /** The close code. */
  readonly closed: Promise<number>;
}

async function open(url: string, protocol?: string): Promise<Session> {
  const socket = new WebSocket(url, protocol);
  const messages: Buffer[] = [];
  socket.on('message', (data: Buffer) => messages.push(data));
  const closed = new Promise<number>((resolve) => socket.on('close', resolve));
  await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject));
  return { socket, messages, closed };
}

/** Content of one channel. */
function channel(messages: readonly Buffer[], number: number): string {
  const own = messages.filter((message) => message[0] === number).map((message) => message.subarray(1));
  return Buffer.concat(own).toString('latin1');
}

describe('exec over WebSocket', () => {
  it.each(['v4.channel.k8s.io', 'v5.channel.k8s.io'])(
    'carries output and success in %s',
    async (protocol) => {
      const { messages, closed } = await open(server.execUrl({ ...EXEC, command: ['echo'] }), protocol);
      expect(await closed).toBe(1000);
      expect(messages[0]).toEqual(Buffer.of(1));
      expect(channel(messages, 1)).toBe('to stdout');
      expect(channel(messages, 2)).toBe('to stderr');
      expect(JSON.parse(channel(messages, 3))).toEqual({ metadata: {}, status: 'Success' });
    },
  );

  it('encodes channels as digits and data in base64', async () => {
    const url = server.execUrl({ ...EXEC, stderr: false, command: ['echo'] });
    const { messages, closed } = await open(url, 'v4.base64.channel.k8s.io');
    await closed;
    expect(messages.map(String).slice(0, 2)).toEqual(['1', `1${btoa('to stdout')}`]);
    expect(messages.map(String).at(-1)).toBe(`3${btoa('{"metadata":{},"status":"Success"}')}`);
  });

  it.each([undefined, 'channel.k8s.io'])('reports a failure as text without v4 (%s)', async (protocol) => {
    const { messages, closed } = await open(server.execUrl({ ...EXEC, command: ['fail'] }), protocol);
    await closed;
    expect(channel(messages, 3)).toMatch(/^command terminated with non-zero exit code: .*3$/);
  });

  it('half-closes stdin in v5 after arbitrary bytes', async () => {
    const url = server.execUrl({ ...EXEC, stdin: true, stderr: false, command: ['cat'] });
    const { socket, messages, closed } = await open(url, 'v5.channel.k8s.io');
    const bytes = randomBytes(300_000);
    for (let offset = 0; offset < bytes.length; offset += 30_000)
      socket.send(Buffer.concat([Buffer.of(0), bytes.subarray(offset, offset + 30_000)]));
    socket.send(Buffer.of(255, 0));
    await closed;
    expect(Buffer.from(channel(messages, 1), 'latin1').equals(bytes)).toBe(true);
  });

  it('forwards terminal sizes', async () => {
    const url = server.execUrl({ ...EXEC, stderr: false, tty: true, command: ['sizes'] });
    const { socket, messages, closed } = await open(url, 'v5.channel.k8s.io');
    socket.send(Buffer.from('\x04{"Width":80,"Height":24}'));
    await new Promise<void>((resolve) => {
      socket.on('message', () => channel(messages, 1) === '80x24;' && resolve());
    });
    socket.send(Buffer.from('\x04{"Width":132,"Height":43}'));
    await closed;
    expect(channel(messages, 1)).toBe('80x24;132x43;');
  });

  it('rejects a client without a known subprotocol', async () => {
    const url = server.execUrl({ ...EXEC, command: ['echo'] });
    await expect(open(url, 'v9.channel.k8s.io')).rejects.toThrow('403');
  });

  it('ends the command when the client disconnects', async () => {
    const { socket, closed } = await open(
      server.execUrl({ ...EXEC, command: ['hang'] }),
      'v5.channel.k8s.io',
    );
    socket.terminate();
    await closed;
    await server.close();
    expect(handler.running).toBe(0);
  });
});

describe('port-forward over WebSocket', () => {
  it('carries each port on two channels that start with its number', async () => {
    const url = server.portForwardUrl({ sandboxId: 's', ports: [8080, 1] });
    const { socket, messages } = await open(url, 'v4.channel.k8s.io');
    socket.send(Buffer.from('\0hello'));
    const done = () => channel(messages, 0).endsWith('hello') && channel(messages, 3).includes('refused');
    await new Promise<void>((resolve) => socket.on('message', () => done() && resolve()));
    expect(channel(messages, 0)).toBe('\x90\x1fhello');
    expect(channel(messages, 1)).toBe('\x90\x1f');
    expect(channel(messages, 3)).toBe('\x01\0error forwarding port 1 to pod s, uid : connection refused');
    socket.close();
  });
});
