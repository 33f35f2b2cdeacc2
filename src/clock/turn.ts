/** One turn of the event loop: what is ready in sockets and microtasks is handled meanwhile. No time is meant. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * The end of what can be done without waiting: all microtasks are handled meanwhile. Who waits side by side goes on in
 * order. Much less than a turn; no time is meant.
 */
export function tick(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
