import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { connectCri } from '../../../src/cri/client/connect.js';
import { SPDY, type Upgraded, upgrade } from '../../integration/streaming/spdy-client.js';
import { useTemporaryDirectories } from '../../support/temporary.js';
import { ofAll, sampleOf } from '../../support/thorough.js';
import { killVictims, startVictim, type Victim } from '../kit.js';

const temporary = useTemporaryDirectories();
const clients = new Set<Socket>();

afterEach(() => {
  killVictims();
  for (const client of clients) client.destroy();
  clients.clear();
});

/** A connection on which a client has written `bytes` and then neither writes nor leaves. */
async function silent(victim: Victim, bytes: string | Buffer = ''): Promise<void> {
  const client = connect({ path: victim.socket, allowHalfOpen: true });
  clients.add(client);
  client.on('error', () => {});
  await once(client, 'connect');
  if (bytes.length > 0) await new Promise((resolve) => client.write(bytes, resolve));
}

async function rule(victim: Victim, spec: object): Promise<void> {
  const answer = await fetch(`${victim.control}/v1/faults`, { method: 'POST', body: JSON.stringify(spec) });
  expect(await answer.text()).toContain('"faults"');
  expect(answer.status).toBe(201);
}

/** A call on its own connection. The test does not wait for the reply. */
function call(victim: Victim): void {
  const cri = connectCri(victim.socket);
  cri.version({ version: '' }, { timeout: 60_000 }).catch(() => cri.close());
}

/** Sends a call's headers and five bytes of a message, and no END_STREAM. */
function halfCall(victim: Victim): Promise<void> {
  const socket = connect(victim.socket);
  socket.on('error', () => {});
  clients.add(socket);
  return new Promise((resolve) => {
    const session = connectHttp2('http://localhost', { createConnection: () => socket });
    session.on('error', () => {});
    session.on('connect', () => {
      const stream = session.request({
        ':method': 'POST',
        ':path': '/runtime.v1.RuntimeService/Version',
        'content-type': 'application/grpc',
        te: 'trailers',
      });
      stream.on('error', () => {});
      stream.write(Buffer.from([0, 0, 0, 1, 0]), () => resolve());
    });
  });
}

async function forwardUrl(victim: Victim): Promise<string> {
  const { podSandboxId } = victim;
  return (await victim.cri.portForward({ podSandboxId, port: [80] })).url;
}

/** Every way in which a client has kept a server from ending. */
const holders: Readonly<Record<string, (victim: Victim) => Promise<void>>> = {
  'an idle connection': (victim) => silent(victim),
  'half a preface': (victim) => silent(victim, 'PRI * HTTP/2.0\r\n'),
  'the preface alone': (victim) => silent(victim, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  garbage: (victim) => silent(victim, Buffer.alloc(1000, 0xa5)),
  'garbage after the preface': (victim) =>
    silent(
      victim,
      Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), Buffer.alloc(100_000, 0xff)]),
    ),
  'a call without END_STREAM': halfCall,
  'an open event stream': async (victim) => {
    void (async () => {
      for await (const _ of victim.cri.getContainerEvents({}, { timeout: 60_000 })) void _;
    })().catch(() => {});
    await victim.version();
  },
  'connections that a rule stalls': async (victim) => {
    await rule(victim, { shorthand: 'connection=stall' });
    call(victim);
    await silent(victim);
    await silent(victim, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
  },
  'connections that a rule slows down': async (victim) => {
    await rule(victim, { on: 'connection', then: { throttle: { bytesPerSecond: 1 } } });
    call(victim);
    await silent(victim);
    await silent(victim, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
  },
  'a call that a rule stalls': async (victim) => {
    await rule(victim, { shorthand: 'Status=stall' });
    victim.cri.status({ verbose: false }, { timeout: 60_000 }).catch(() => {});
    await victim.version();
  },
  'SPDY port-forward clients that left early': async (victim) => {
    for (let n = 0; n < 10; n++) {
      const { socket } = (await upgrade(await forwardUrl(victim), {
        ...SPDY,
        'X-Stream-Protocol-Version': 'portforward.k8s.io',
      })) as Upgraded;
      socket.on('error', () => {});
      if (n < 5) socket.destroy();
      else clients.add(socket);
    }
  },
  'WebSocket port-forward clients that left early': async (victim) => {
    for (let n = 0; n < 10; n++) {
      const client = new WebSocket((await forwardUrl(victim)).replace('http', 'ws'), ['v4.channel.k8s.io']);
      client.on('error', () => {});
      await once(client, 'open');
      if (n < 5) client.terminate();
    }
  },
  'a half-open streaming connection': async (victim) => {
    const { port } = new URL(await forwardUrl(victim));
    const client = connect({ port: Number(port), allowHalfOpen: true });
    clients.add(client);
    client.on('error', () => {});
    await once(client, 'connect');
    client.write('GET / HT');
  },
  'control connections': async (victim) => {
    for (const bytes of ['', 'GET /v1/ev', 'GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n']) {
      const client = connect({ port: Number(new URL(victim.control ?? '').port), allowHalfOpen: true });
      clients.add(client);
      client.on('error', () => {});
      await once(client, 'connect');
      client.write(bytes);
    }
  },
};

const all = Object.entries(holders);
const sample = sampleOf(all, 5);

describe(ofAll(sample.length, all.length, 'ways to hold a server'), () => {
  it.each(sample)('ends at SIGTERM despite %s, and leaves no socket', async (_, hold) => {
    const victim = await startVictim(temporary(), ['--control', '127.0.0.1:0']);
    await hold(victim);
    expect(await victim.stop()).toBe(0);
    expect(existsSync(victim.socket)).toBe(false);
  });
});
