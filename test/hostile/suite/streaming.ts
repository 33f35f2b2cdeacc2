import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { WebSocket } from 'ws';
import { SPDY, SpdyClient, type Upgraded, upgrade, V4 } from '../../integration/streaming/spdy-client.js';
import type { Victim } from '../kit.js';
import { type Dice, type Surface, within } from './surface.js';

const BATCH = 20;
const GUESSES = 200;

/** A SPDY control frame (SPDY/3, 2.2.1). */
function spdy(type: number, payload: Buffer, length = payload.length): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt16BE(0x8003);
  head.writeUInt16BE(type, 2);
  head.writeUIntBE(length, 5, 3);
  return Buffer.concat([head, payload]);
}

const ping = (id: number): Buffer => {
  const payload = Buffer.alloc(4);
  payload.writeUInt32BE(id);
  return spdy(6, payload);
};

/** Invalid frames over SPDY and WebSocket, and too many of them; clients that leave; guessed tokens. */
export const streamingSurface: Surface = {
  name: 'streaming',
  open: async (victim, dice) => {
    const containerId = await victim.container('sleep 100000');
    const { origin } = new URL(await forwardUrl(victim));
    return {
      batch: async () => {
        const tried = Array.from({ length: BATCH }, () =>
          dice.of(tries)(victim, containerId, dice).catch(refusal),
        );
        const inputs = (await Promise.all(tried)).reduce((one, other) => one + other, 0);
        return inputs + (await guess(origin, dice));
      },
      close: async () => void (await victim.cri.removeContainer({ containerId })),
    };
  },
};

type Try = (victim: Victim, containerId: string, dice: Dice) => Promise<number>;

/** Too many tokens wait for clients that never connect: the limit must hold (docs/limits.md). */
function refusal(error: unknown): number {
  if (String(error).includes('maximum number of in-flight requests exceeded')) return 1;
  throw error;
}

const execUrl = async ({ cri }: Victim, containerId: string): Promise<string> =>
  (await cri.exec({ containerId, cmd: ['cat'], stdin: true, stdout: true, stderr: true, tty: false })).url;
const forwardUrl = async ({ cri, podSandboxId }: Victim): Promise<string> =>
  (await cri.portForward({ podSandboxId, port: [80, 81] })).url;

async function raw(url: string, protocol: string, bytes: Buffer, dice: Dice): Promise<void> {
  const result = await upgrade(url, { ...SPDY, 'X-Stream-Protocol-Version': protocol });
  const { socket } = result as Upgraded;
  if (socket === undefined) return;
  socket.on('error', () => {});
  if (dice.below(2) === 0) socket.resume();
  await within(300, new Promise((resolve) => socket.write(bytes, resolve)));
  await within(dice.below(30), once(socket, 'close'));
  socket.destroy();
}

const tries: readonly Try[] = [
  async (victim, containerId, dice) => {
    await raw(await execUrl(victim, containerId), V4, dice.bytes(dice.below(300)), dice);
    return 1;
  },
  async (victim, containerId, dice) => {
    const frames = Array.from({ length: 30 }, () =>
      spdy(dice.below(12), dice.bytes(dice.below(40)), dice.below(50)),
    );
    await raw(await execUrl(victim, containerId), V4, Buffer.concat(frames), dice);
    return 30;
  },
  async (victim, _, dice) => {
    const pings = Buffer.concat(Array.from({ length: 1000 }, (_, n) => ping(2 * n + 1)));
    await raw(await forwardUrl(victim), 'portforward.k8s.io', pings, dice);
    return 1000;
  },
  async (victim, containerId, dice) => {
    const client = await SpdyClient.connect(await execUrl(victim, containerId));
    await client.open({ streamtype: dice.of(['error', 'stdin', 'nonsense', '__proto__']) });
    client.close();
    return 1;
  },
  async (victim, containerId, dice) => {
    const url = (await execUrl(victim, containerId)).replace('http', 'ws');
    const socket = new WebSocket(url, dice.of([['v5.channel.k8s.io'], [V4], ['base64.channel.k8s.io'], []]));
    socket.on('error', () => {});
    await within(
      1000,
      once(socket, 'open').catch(() => {}),
    );
    for (let n = 0; n < 20 && socket.readyState === socket.OPEN; n++)
      socket.send(dice.bytes(dice.below(200)), { binary: dice.below(2) === 0 });
    socket.terminate();
    return 20;
  },
  async (victim, _, dice) => {
    const url = (await forwardUrl(victim)).replace('http', 'ws');
    const socket = new WebSocket(url, dice.of([[V4], ['v4.base64.channel.k8s.io']]));
    socket.on('error', () => {});
    if (dice.below(2) === 0)
      await within(
        1000,
        once(socket, 'open').catch(() => {}),
      );
    socket.terminate();
    return 1;
  },
  async (victim, containerId, dice) => {
    const { port, pathname } = new URL(await execUrl(victim, containerId));
    const client: Socket = connect(Number(port), '127.0.0.1');
    client.on('error', () => {});
    const head = `GET ${pathname} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`;
    await within(300, new Promise((resolve) => client.write(dice.mutate(Buffer.from(head)), resolve)));
    client.destroy();
    return 1;
  },
];

/** No token can be guessed: each reply is 404. */
async function guess(origin: string, dice: Dice): Promise<number> {
  const guesses = Array.from({ length: GUESSES }, async () => {
    const token = dice.of([dice.bytes(16).toString('base64url'), '..', '%00', 'x'.repeat(1000), '__proto__']);
    const answer = await fetch(`${origin}/${dice.of(['exec', 'attach', 'portforward'])}/${token}`);
    await answer.text();
    if (answer.status < 400 || answer.status >= 500)
      throw new Error(`${answer.status} for the token ${token}`);
  });
  await Promise.all(guesses);
  return GUESSES;
}
