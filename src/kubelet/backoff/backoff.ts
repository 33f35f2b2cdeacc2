import { type Clock, NANOS_PER_MILLI } from '../../base/clock/clock.js';
import type { Random } from '../../base/random/random.js';
import type { BackOff } from '../types/ports.js';

/** Combines the parameters of client-go's NewBackOff and NewBackOffWithJitter. */
export interface BackOffOptions {
  readonly clock: Pick<Clock, 'now'>;
  /** In ms; not capped by `max`. */
  readonly initial: number;
  /** In ms. */
  readonly max: number;
  /** Maximum random addition, as a fraction of the delay; default 0. */
  readonly jitterFactor?: number;
  /** Required with `jitterFactor`. */
  readonly random?: Random;
  /** An entry that is not renewed for longer than this (in ms) expires; default twice `max`. */
  readonly expiry?: number;
}

interface Entry {
  delay: number;
  lastUpdate: bigint;
}

/**
 * flowcontrol.Backoff of client-go (util/flowcontrol/backoff.go), with its strict comparisons: exactly at the delay
 * the next attempt is allowed, and exactly at the expiry the entry still exists.
 */
export function createBackOff(options: BackOffOptions): BackOff {
  const { clock, initial, max } = options;
  const expiry = toNanos(options.expiry ?? 2 * max);
  const entries = new Map<string, Entry>();

  const isExpired = (event: bigint, lastUpdate: bigint): boolean => event - lastUpdate > expiry;
  const live = (id: string, event: bigint): Entry | undefined => {
    const entry = entries.get(id);
    return entry === undefined || isExpired(event, entry.lastUpdate) ? undefined : entry;
  };
  const extra = (delay: number): number =>
    options.jitterFactor && options.random ? options.random.next() * options.jitterFactor * delay : 0;

  return {
    next: (id, event) => {
      const entry = live(id, event);
      const delay =
        entry === undefined ? initial + extra(initial) : Math.min(entry.delay * 2 + extra(entry.delay), max);
      entries.set(id, { delay, lastUpdate: clock.now() });
    },
    isInBackOffSince: (id, event) => {
      const entry = live(id, event);
      return entry !== undefined && clock.now() - event < toNanos(entry.delay);
    },
    isInBackOffSinceUpdate: (id, event) => {
      const entry = live(id, event);
      return entry !== undefined && event - entry.lastUpdate < toNanos(entry.delay);
    },
    get: (id) => entries.get(id)?.delay ?? 0,
    gc: () => {
      const now = clock.now();
      for (const [id, entry] of entries) if (isExpired(now, entry.lastUpdate)) entries.delete(id);
    },
  };
}

const toNanos = (milliseconds: number): bigint => BigInt(Math.round(milliseconds * Number(NANOS_PER_MILLI)));
