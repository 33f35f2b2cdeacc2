import { createHash, randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRealClock } from '../../../src/base/clock/real-clock.js';
import type { StreamingServer } from '../../../src/runtime/engine/streaming.js';
import { startStreamingServer } from '../../../src/runtime/streaming/server.js';
import { EXEC, type TestHandler, testHandler } from './handler.js';
import { openSession, SpdyClient } from './spdy-client.js';

let handler: TestHandler;
let server: StreamingServer;

beforeEach(async () => {
  handler = testHandler();
  server = await startStreamingServer({ handler, clock: createRealClock() });
});
afterEach(() => server.close());

describe('exec over SPDY', () => {
  it('carries stdout and stderr, then success', async () => {
    const client = await SpdyClient.connect(server.execUrl({ ...EXEC, command: ['echo'] }));
    const ids = await openSession(client, 'stdout', 'stderr');
    await Promise.all(Object.values(ids).map((id) => client.ended(id)));
    expect(client.text(ids.stdout)).toBe('to stdout');
    expect(client.text(ids.stderr)).toBe('to stderr');
    expect(JSON.parse(client.text(ids.error))).toEqual({ metadata: {}, status: 'Success' });
    client.close();
  });

  it('reports the exit code', async () => {
    const client = await SpdyClient.connect(server.execUrl({ ...EXEC, command: ['fail', 'now'] }));
    const ids = await openSession(client, 'stdout', 'stderr');
    await client.ended(ids.error);
    expect(JSON.parse(client.text(ids.error))).toEqual({
      metadata: {},
      status: 'Failure',
      message: 'command terminated with non-zero exit code: error executing command [fail now], exit code 3',
      reason: 'NonZeroExitCode',
      details: { causes: [{ reason: 'ExitCode', message: '3' }] },
    });
    client.close();
  });

  it.each([
    ['v3.channel.k8s.io', 'exit code 3'],
    ['v2.channel.k8s.io', 'exit code 3'],
    ['channel.k8s.io', 'exit code 3'],
  ])('reports a failure as text in %s', async (protocol, text) => {
    const client = await SpdyClient.connect(server.execUrl({ ...EXEC, command: ['fail'] }), protocol);
    const ids = await openSession(client, 'stdout', 'stderr');
    await client.ended(ids.error);
    expect(client.text(ids.error)).toMatch(/^command terminated/);
    expect(client.text(ids.error)).toContain(text);
    client.close();
  });

  it('does not report success in v3', async () => {
    const client = await SpdyClient.connect(
      server.execUrl({ ...EXEC, command: ['echo'] }),
      'v3.channel.k8s.io',
    );
    const ids = await openSession(client, 'stdout', 'stderr');
    await client.ended(ids.error);
    expect(client.text(ids.error)).toBe('');
    client.close();
  });

  it('reports an error of the runtime', async () => {
    const client = await SpdyClient.connect(server.execUrl({ ...EXEC, command: ['broken'] }));
    const ids = await openSession(client, 'stdout', 'stderr');
    await client.ended(ids.error);
    expect(JSON.parse(client.text(ids.error))).toMatchObject({
      status: 'Failure',
      reason: 'InternalError',
      code: 500,
      message: 'Internal error occurred: error executing command in container: the process would not start',
    });
    client.close();
  });

  it('transfers 20 MB of arbitrary bytes through stdin and back, and half-closes', async () => {
    const client = await SpdyClient.connect(
      server.execUrl({ ...EXEC, stdin: true, stderr: false, command: ['cat'] }),
    );
    const ids = await openSession(client, 'stdin', 'stdout');
    const bytes = randomBytes(1 << 20);
    for (let left = 20; left > 0; left--) await client.send(ids.stdin, bytes, left === 1);
    await client.ended(ids.error);
    const expected = createHash('sha256');
    for (let left = 20; left > 0; left--) expected.update(bytes);
    const got = createHash('sha256').update(client.bytes(ids.stdout)).digest('hex');
    expect(got).toBe(expected.digest('hex'));
    client.close();
  });

  it('forwards terminal sizes', async () => {
    const client = await SpdyClient.connect(
      server.execUrl({ ...EXEC, stderr: false, tty: true, command: ['sizes'] }),
    );
    const ids = await openSession(client, 'stdout', 'resize');
    await client.send(ids.resize, '{"Width":80,"Hei');
    await client.send(ids.resize, 'ght":24}\n');
    await client.until(() => client.text(ids.stdout) === '80x24;');
    await client.send(ids.resize, '{"Width":70000,"Height":1}{"Width":132,"Height":43}');
    await client.ended(ids.error);
    expect(client.text(ids.stdout)).toBe('80x24;132x43;');
    client.close();
  });

  it('ends the command when the client disconnects', async () => {
    const client = await SpdyClient.connect(server.execUrl({ ...EXEC, command: ['hang'] }));
    await openSession(client, 'stdout', 'stderr');
    await client.until(() => handler.running === 1 || client.frames.length < 3);
    client.close();
    await server.close();
    expect(handler.running).toBe(0);
  });

  it('answers pings and rejects unexpected streams', async () => {
    const client = await SpdyClient.connect(server.execUrl({ ...EXEC, command: ['hang'] }));
    client.control({ kind: 'ping', id: 7 });
    const stdin = await client.open({ streamtype: 'stdin' });
    await client.until(() => client.frames.length === 2);
    expect(client.frames).toContainEqual({ kind: 'ping', id: 7 });
    expect(client.frames).toContainEqual({ kind: 'rst-stream', streamId: stdin, status: 3 });
    client.close();
  });
});
