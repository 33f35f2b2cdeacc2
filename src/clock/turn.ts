/** One turn of the event loop: what is ready in sockets and microtasks is handled meanwhile. No time is meant. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
