/** One turn of the event loop: what is ready in sockets and microtasks is handled meanwhile. No time is meant. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * Resolves after all pending microtasks. Several waiting callers continue in order. Much shorter than a turn; no time
 * passes on the clock.
 */
export function tick(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
