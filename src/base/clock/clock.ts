import type { Loopback } from './network/loopback.js';
import type { Transit } from './network/transit.js';
import type { Wires } from './network/wires.js';
import type { Release } from './release.js';

/** The part of AbortSignal that waits need. */
export interface Abortable extends Pick<AbortSignal, 'aborted' | 'reason'> {
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once: true }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

export interface Timer {
  cancel(): void;
}

/**
 * The only source of time in the project. Durations are milliseconds (fractions allowed), instants are Unix
 * nanoseconds, because CRI timestamps are.
 *
 * A virtual clock moves only when nobody is active. Code is active while it runs inside `run`, while a `hold` is
 * open, and while a timer's callback (with the promise it returned) is in progress. A task inside `run` stops being
 * active while it waits in `sleep` or `idle`, so: wait for time with `sleep`, and wrap every other wait whose end
 * may depend on time (a process exit, a queue, a reply) in `idle`. Real work (disk, sockets) is simply awaited.
 * Branches of one task that wait independently of each other are forked with `run`.
 *
 * On a real clock `run`, `hold` and `idle` cost nothing.
 */
export interface Clock {
  readonly kind: 'real' | 'virtual';
  /** Tracks data in transit on a virtual clock; absent in real time. */
  readonly transit?: Transit;
  readonly loopback: Loopback;
  readonly wires?: Wires;
  /** Unix nanoseconds. */
  now(): bigint;
  /** Milliseconds since the clock was created; never decreases. */
  elapsed(): number;
  /** Calls back once after `delay` ms (negative counts as 0), inside `run`. */
  setTimer(delay: number, callback: () => void | Promise<void>): Timer;
  /** Resolves after `delay` ms; rejects with the signal's reason as soon as it aborts. */
  sleep(delay: number, signal?: Abortable): Promise<void>;
  run<T>(task: () => Promise<T>): Promise<T>;
  hold(): Release;
  /** Waits for something whose end may depend on the clock, without counting as activity. */
  idle<T>(wait: Promise<T>): Promise<T>;
}

/** CRI timestamps are in nanoseconds, durations here in milliseconds. */
export const NANOS_PER_MILLI = 1_000_000n;

/** Accepts fractions. */
export function millisToNanos(milliseconds: number): bigint {
  return BigInt(Math.round(milliseconds * 1e6));
}
