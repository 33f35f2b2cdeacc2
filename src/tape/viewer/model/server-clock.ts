/** A server's tape time between its entries. */
export interface ServerClock {
  /** An entry with time `t` (ns since the tape's start) arrived at `at` (ms of this machine's clock). */
  sync(t: number, at: number): void;
  /** Stops the clock, because the server is gone. */
  stop(): void;
  /** Nanoseconds since the tape's start. */
  now(): number;
}

/**
 * Runs like the server's clock; a virtual clock moves with the entries. `elapsed` is this machine's time in ms from any
 * origin. An entry can't arrive before its time, so the one with the least delay sets the clock.
 */
export function createServerClock(kind: 'real' | 'virtual', elapsed: () => number): ServerClock {
  let last = 0;
  let ahead: number | undefined;
  let stopped: number | undefined;
  const now = () => {
    if (stopped !== undefined) return stopped;
    return kind === 'virtual' || ahead === undefined ? last : Math.max(last, elapsed() * 1e6 + ahead);
  };
  return {
    now,
    sync: (t, at) => {
      stopped = undefined;
      last = Math.max(last, t);
      ahead = Math.max(ahead ?? Number.NEGATIVE_INFINITY, t - at * 1e6);
    },
    stop: () => {
      stopped = now();
    },
  };
}
