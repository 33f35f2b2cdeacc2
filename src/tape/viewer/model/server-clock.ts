/** The time on a tape that a server sends, between its entries. */
export interface ServerClock {
  /** An entry of this time, in nanoseconds since the start of the tape, has arrived `at` ms of this machine's time. */
  sync(t: number, at: number): void;
  /** Stops the clock, because the server is gone. */
  stop(): void;
  /** Nanoseconds since the start of the tape. */
  now(): number;
}

/**
 * A clock that runs as the server's does; a virtual one moves with the entries. `elapsed` is this machine's time in ms,
 * which begins anywhere. An entry can't arrive before its time, so that the one with the least delay sets the clock.
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
