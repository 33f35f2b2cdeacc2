import type { Loopback } from './network/loopback.js';
import type { Transit } from './network/transit.js';
import type { Wires } from './network/wires.js';
import type { Release } from './release.js';

/** What a wait needs of an AbortSignal. */
export interface Abortable extends Pick<AbortSignal, 'aborted' | 'reason'> {
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once: true }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** A call that is due; cancelling one that has happened does nothing. */
export interface Timer {
  cancel(): void;
}

/**
 * The only source of time in the project. Durations are milliseconds (fractions allowed), instants are Unix
 * nanoseconds, because CRI timestamps are.
 *
 * A virtual clock moves only when nobody is active. Code is active while it runs inside `run`, while a `hold` is
 * open, and while a timer's callback (with the promise it returned) is under way. A task inside `run` stops being
 * active while it waits in `sleep` or `idle`, so: wait for time with `sleep`, and wrap every other wait whose end
 * may depend on time (a process exit, a queue, a reply) in `idle`. Real work (disk, sockets) is awaited as it is.
 * Branches of one task that wait independently of each other are forked with `run`.
 *
 * On a real clock `run`, `hold` and `idle` cost nothing.
 */
export interface Clock {
  readonly kind: 'real' | 'virtual';
  /** A virtual clock's account of what sockets carry; real time needs none. */
  readonly transit?: Transit;
  /** Connections between programs on this clock. */
  readonly loopback: Loopback;
  /** A virtual clock's account of the sockets to programs that take part in it. */
  readonly wires?: Wires;
  /** The present time in Unix nanoseconds. */
  now(): bigint;
  /** Milliseconds since the clock was made; never goes back. */
  elapsed(): number;
  /** Calls back once after `delay` ms (negative counts as 0), inside `run`. */
  setTimer(delay: number, callback: () => void | Promise<void>): Timer;
  /** Resolves after `delay` ms; rejects with the signal's reason as soon as it aborts. */
  sleep(delay: number, signal?: Abortable): Promise<void>;
  /** Runs a task that counts as activity until it settles. */
  run<T>(task: () => Promise<T>): Promise<T>;
  /** Marks activity that is not an async task (a message in transit). */
  hold(): Release;
  /** Waits for something whose end may depend on the clock, without counting as activity meanwhile. */
  idle<T>(wait: Promise<T>): Promise<T>;
}

/** Nanoseconds of a millisecond: CRI timestamps are in the one, durations here in the other. */
export const NANOS_PER_MILLI = 1_000_000n;

/** Milliseconds (fractions allowed) as nanoseconds. */
export function millisToNanos(milliseconds: number): bigint {
  return BigInt(Math.round(milliseconds * 1e6));
}
