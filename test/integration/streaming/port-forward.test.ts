import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWebSocketStream, WebSocket } from 'ws';
import { createRealClock } from '../../../src/base/clock/real-clock.js';
import type { StreamingServer } from '../../../src/runtime/engine/streaming.js';
import { startStreamingServer } from '../../../src/runtime/streaming/server.js';
import { CERTIFICATE, KEY } from './certificate.js';
import { EXEC, type TestHandler, testHandler } from './handler.js';
import { SpdyClient } from './spdy-client.js';

let handler: TestHandler;
let server: StreamingServer;

beforeEach(async () => {
  handler = testHandler();
  server = await startStreamingServer({ handler, clock: createRealClock() });
});
afterEach(() => server.close());

const connectForward = () =>
  SpdyClient.connect(server.portForwardUrl({ sandboxId: 's', ports: [] }), 'portforward.k8s.io');

async function openPair(client: SpdyClient, port: number, requestid: string) {
  const headers = { port: String(port), requestid };
  const error = await client.open({ ...headers, streamtype: 'error' });
  const data = await client.open({ ...headers, streamtype: 'data' });
  return { error, data };
}

describe('port-forward over SPDY', () => {
  it('carries several parallel connections and ends each separately', async () => {
    const client = await connectForward();
    const first = await openPair(client, 8080, '0');
    const second = await openPair(client, 8081, '1');
    await client.send(first.data, 'one', true);
    await client.send(second.data, 'two');
    await client.ended(first.data);
    await client.ended(first.error);
    await client.until(() => client.text(second.data) === 'two');
    expect(client.text(first.data)).toBe('one');
    expect(client.text(first.error)).toBe('');
    expect(handler.running).toBe(1);
    client.close();
  });

  it('replies to both streams before it reports that the port is closed', async () => {
    const client = await connectForward();
    const { error, data } = await openPair(client, 1, '0');
    await client.ended(error);
    await client.until(() => client.frames.some(({ kind }) => kind === 'rst-stream'));
    expect(client.text(error)).toBe('error forwarding port 1 to pod s, uid : connection refused');
    expect(client.frames.map(({ kind }) => kind)).toEqual(['syn-reply', 'syn-reply', 'rst-stream']);
    expect(client.frames[2]).toMatchObject({ streamId: data });
    client.close();
  });

  it('reports no error when the client drops a connection', async () => {
    const client = await connectForward();
    const { error, data } = await openPair(client, 8080, '0');
    await client.send(data, 'x');
    await client.until(() => client.text(data) === 'x');
    client.control({ kind: 'rst-stream', streamId: data, status: 5 });
    await client.ended(error);
    expect(client.text(error)).toBe('');
    expect(handler.running).toBe(0);
    client.close();
  });

  it('forgets a pair whose first stream is reset', async () => {
    const client = await connectForward();
    const streamId = await client.open({ port: '8080', requestid: '0', streamtype: 'error' });
    client.control({ kind: 'rst-stream', streamId, status: 5 });
    const { data } = await openPair(client, 8080, '0');
    await client.send(data, 'x', true);
    await client.ended(data);
    expect(client.text(data)).toBe('x');
    client.close();
  });

  it.each([
    { port: '0', streamtype: 'error' },
    { port: '70000', streamtype: 'error' },
    { streamtype: 'error' },
    { port: '80', streamtype: 'stdin' },
    { port: '80', streamtype: 'error', requestid: 'x'.repeat(257) },
  ])('rejects a stream with headers %o', async (headers) => {
    const client = await connectForward();
    const streamId = await client.open(headers as Record<string, string>);
    await client.until(() => client.frames.length === 1);
    expect(client.frames).toEqual([{ kind: 'rst-stream', streamId, status: 3 }]);
    client.close();
  });

  it('works through crictl’s WebSocket tunnel', async () => {
    const tunnel = 'SPDY/3.1+portforward.k8s.io';
    const url = server.portForwardUrl({ sandboxId: 's', ports: [] });
    const socket = new WebSocket(url, { headers: { 'Sec-WebSocket-Protocol': tunnel } });
    const agreed = new Promise((resolve) =>
      socket.once('upgrade', ({ headers }) => resolve(headers['sec-websocket-protocol'])),
    );
    // ws does not accept this name from a server either, so errors after the handshake do not matter.
    socket.on('error', () => {});
    expect(await agreed).toBe(tunnel);
    createWebSocketStream(socket)
      .on('error', () => {})
      .destroy();
  });
});

it('serves https with the given certificate', async () => {
  await server.close();
  const tls = { cert: CERTIFICATE, key: KEY };
  server = await startStreamingServer({ handler, clock: createRealClock(), tls });
  const url = server.execUrl({ ...EXEC, command: ['echo'] });
  expect(url).toMatch(/^https:/);
  const socket = new WebSocket(url, 'v5.channel.k8s.io', { ca: CERTIFICATE });
  let text = '';
  socket.on('message', (data: Buffer) => {
    text += data.toString('latin1');
  });
  await new Promise((resolve, reject) => socket.on('close', resolve).on('error', reject));
  expect(text).toContain('\x01to stdout');
});
