import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { SPDY, type Upgraded, upgrade } from '../../integration/streaming/spdy-client.js';
import { eventually } from '../../support/eventually.js';
import { useTemporaryDirectories } from '../../support/temporary.js';
import { ofAll, sampleOf } from '../../support/thorough.js';
import { frame, PREFACE } from '../http2.js';
import { killVictims, startVictim, type Victim } from '../kit.js';

const temporary = useTemporaryDirectories();
afterEach(killVictims);

const CLIENTS = 50;
const HEADERS = 1;
const PING = 6;

type Leave = 'waits' | 'ends' | 'is destroyed';

/** What clients have sent before they left, and how they left. */
const clients: Readonly<Record<string, readonly [Buffer, Leave]>> = {
  garbage: [Buffer.concat([PREFACE, Buffer.alloc(1000, 0xff)]), 'waits'],
  'a short PING, then FIN': [Buffer.concat([PREFACE, frame(PING, 0, 0, Buffer.alloc(7))]), 'ends'],
  'a short PING': [Buffer.concat([PREFACE, frame(PING, 0, 0, Buffer.alloc(7))]), 'is destroyed'],
  'a frame of 1 MiB': [Buffer.concat([PREFACE, frame(0, 0, 1, Buffer.alloc(100), 1 << 20)]), 'waits'],
  'DATA for stream 0': [Buffer.concat([PREFACE, frame(0, 0, 0, Buffer.alloc(10))]), 'waits'],
  'headers that HPACK does not know': [
    Buffer.concat([PREFACE, frame(HEADERS, 4, 1, Buffer.alloc(10, 0xff))]),
    'waits',
  ],
  'half a frame': [Buffer.concat([PREFACE, frame(HEADERS, 4, 1, Buffer.alloc(10), 1000)]), 'ends'],
  'half a frame, then nothing': [
    Buffer.concat([PREFACE, frame(HEADERS, 4, 1, Buffer.alloc(10), 1000)]),
    'is destroyed',
  ],
  'half a head': [Buffer.concat([PREFACE, Buffer.alloc(4)]), 'is destroyed'],
  'half a preface': [PREFACE.subarray(0, 10), 'ends'],
};

/** Resolves when the server has dropped the connection, or else when the client has left. */
async function visit(victim: Victim, [bytes, leave]: readonly [Buffer, Leave]): Promise<void> {
  const client = connect(victim.socket);
  client.on('error', () => {}).resume();
  await once(client, 'connect');
  await new Promise((resolve) => client.write(bytes, resolve));
  if (leave === 'ends') client.end();
  if (leave === 'is destroyed') client.destroy();
  if (!client.destroyed) await once(client, 'close');
}

/** Resolves when the server has no more descriptors than that. */
async function shrinksTo(victim: Victim, most: number): Promise<void> {
  await eventually(() => victim.descriptors()).toBeLessThanOrEqual(most);
}

const allClients = Object.entries(clients);
const someClients = sampleOf(allClients, 2);

it.each(someClients)(
  `keeps no descriptor of clients that sent %s (${ofAll(someClients.length, allClients.length, 'kinds')})`,
  async (_, client) => {
    const victim = await startVictim(temporary());
    const before = victim.descriptors();
    await Promise.all(Array.from({ length: CLIENTS }, () => visit(victim, client)));
    await shrinksTo(victim, before);
    expect(await victim.stop()).toBe(0);
  },
);

const url = async ({ cri, podSandboxId }: Victim): Promise<string> =>
  (await cri.portForward({ podSandboxId, port: [80] })).url;

const forwards: Readonly<Record<string, (victim: Victim) => Promise<void>>> = {
  SPDY: async (victim) => {
    const { socket } = (await upgrade(await url(victim), {
      ...SPDY,
      'X-Stream-Protocol-Version': 'portforward.k8s.io',
    })) as Upgraded;
    socket.destroy();
  },
  WebSocket: async (victim) => {
    const client = new WebSocket((await url(victim)).replace('http', 'ws'), ['v4.channel.k8s.io']);
    await once(client, 'open');
    client.terminate();
  },
  'a request that nobody waits for': async (victim) => {
    const { port, pathname } = new URL(await url(victim));
    const client: Socket = connect(Number(port));
    await once(client, 'connect');
    const lines = [
      `GET ${pathname} HTTP/1.1`,
      'Host: 127.0.0.1',
      'Connection: Upgrade',
      'Upgrade: SPDY/3.1',
      'X-Stream-Protocol-Version: portforward.k8s.io',
    ];
    await new Promise((resolve) => client.write(`${lines.join('\r\n')}\r\n\r\n`, resolve));
    client.resetAndDestroy();
  },
};

const allForwards = Object.entries(forwards);
const someForwards = sampleOf(allForwards, 1);

it.each(someForwards)(
  `keeps no descriptor of port-forward clients that left early: %s (${ofAll(someForwards.length, allForwards.length, 'ways')})`,
  async (_, forward) => {
    const victim = await startVictim(temporary());
    await victim.container('nc -lk -p 80 -e cat');
    await forward(victim);
    await victim.version();
    const before = victim.descriptors();
    for (let n = 0; n < CLIENTS; n++) await forward(victim);
    await shrinksTo(victim, before);
    expect(await victim.stop()).toBe(0);
  },
);
