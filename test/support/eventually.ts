import { expect } from 'vitest';

/** When an effect counts as absent, in ms. Then the test fails with what is seen instead of hanging. */
const PATIENCE = 300_000;

/** Expects something of a value that an effect of real sockets or processes changes, once it has changed. */
export const eventually = (read: () => unknown): ReturnType<typeof expect.poll> =>
  expect.poll(read, { timeout: PATIENCE, interval: 5 });
