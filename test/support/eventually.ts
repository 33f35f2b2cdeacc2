import { expect } from 'vitest';

/**
 * Time in ms after which an effect counts as missing: the test then fails with the present value instead of hanging.
 */
const PATIENCE = 300_000;

/** Expects a value that real sockets or processes change to reach a state. */
export const eventually = (read: () => unknown): ReturnType<typeof expect.poll> =>
  expect.poll(read, { timeout: PATIENCE, interval: 5 });
