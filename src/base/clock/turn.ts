/** One turn of the event loop, in which ready sockets and microtasks are handled. Passes no time on the clock. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * Resolves after all pending microtasks; several callers continue in order. Much shorter than a turn; no time passes on
 * the clock.
 */
export function tick(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
