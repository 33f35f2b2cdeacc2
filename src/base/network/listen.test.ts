import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { createVirtualClock } from '../clock/virtual-clock.js';
import { listenOn } from './listen.js';

const ADDRESS = '127.66.77.88';
const PORT = 17_877;

/** Whether something on the machine can connect. */
const answers = (): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(PORT, ADDRESS, () => resolve(socket.destroy() !== undefined));
    socket.once('error', () => resolve(false));
  });

test.each([true, false])(
  'a port for programs of the machine (%s) is open on it, and on the clock',
  async (isOnMachine) => {
    const clock = createVirtualClock();
    const listener = await listenOn(clock, [{ address: ADDRESS, port: PORT, isOnMachine }], () => {});
    expect(await answers()).toBe(isOnMachine);
    expect(clock.loopback.connect(ADDRESS, PORT)).toBeDefined();
    await listener.close();
  },
);
