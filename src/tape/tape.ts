import type { Clock } from '../clock/clock.js';
import type { Entry, Happening } from './entries.js';

/** What reads a tape while it is made. */
export interface TapeListener {
  /** Called for each entry, at once and in order. */
  entry(entry: Entry): void;
  /** Promise that a call must wait for before it continues, so that a slow listener needs no unbounded memory. */
  room?(): Promise<void> | undefined;
}

/** The one ordered record of what happens. Nothing is made for it while nobody listens. */
export interface Tape {
  /** Whether there are listeners: writers check this first. */
  readonly active: boolean;
  /** Unix nanoseconds at t = 0. */
  readonly startedAt: bigint;
  /** Of the clock that times come from. */
  readonly clock: Clock;
  /** Nanoseconds since the tape's start. */
  now(): number;
  /** Adds what happens now. Does nothing while nobody listens. */
  write(happening: Happening): void;
  /** A number for a call, from 1. */
  nextCall(): number;
  /** Promise that calls wait for; undefined when the tape has space. */
  room(): Promise<unknown> | undefined;
  /** Calls back for each entry from now on; returns how to stop that. */
  listen(listener: TapeListener): () => void;
}

/** A tape that begins now. */
export function createTape(clock: Clock): Tape {
  const listeners = new Set<TapeListener>();
  const startedAt = clock.now();
  const now = () => Number(clock.now() - startedAt);
  let calls = 0;
  return {
    startedAt,
    clock,
    get active() {
      return listeners.size > 0;
    },
    now,
    write: (happening) => {
      if (listeners.size === 0) return;
      const entry = { t: now(), ...happening } as Entry;
      for (const listener of listeners) listener.entry(entry);
    },
    nextCall: () => ++calls,
    room: () => {
      const waits = [...listeners].flatMap((listener) => listener.room?.() ?? []);
      return waits.length > 0 ? Promise.all(waits) : undefined;
    },
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
