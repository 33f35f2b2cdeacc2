import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { createVirtualClock } from '../../../src/clock/virtual-clock.js';
import { listenOn } from './network.js';

const ADDRESS = '127.66.77.88';
const PORT = 17_877;

/** Whether something on the machine can connect. */
const answers = (): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(PORT, ADDRESS, () => resolve(socket.destroy() !== undefined));
    socket.once('error', () => resolve(false));
  });

test.each([
  [false, true],
  [true, false],
])('on virtual time, a port that is apart (%s) is open on the machine: %s', async (isApart, isOpen) => {
  const clock = createVirtualClock();
  const listener = await listenOn(clock, [[ADDRESS, PORT]], () => {}, isApart);
  expect(await answers()).toBe(isOpen);
  expect(clock.loopback.connect(ADDRESS, PORT)).toBeDefined();
  await listener.close();
});
