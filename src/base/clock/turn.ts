/** One turn of the event loop, in which ready sockets and microtasks are handled. Passes no time on the clock. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Resolves after all pending microtasks, in order of the callers. Shorter than a turn; passes no time on the clock. */
export function tick(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
