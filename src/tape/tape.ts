import type { Clock } from '../base/clock/clock.js';
import type { Entry, EntryOf, Happening } from './entries.js';

export interface TapeListener {
  /** Kinds to receive; default all. */
  readonly only?: readonly Entry['kind'][];
  /** Called immediately and in order for each entry of these kinds. */
  entry(entry: Entry): void;
  /** Promise that a call must wait for, so that a slow listener needs no unbounded memory. */
  room?(): Promise<void> | undefined;
}

export interface ReadableTape {
  /** Unix nanoseconds at t = 0. */
  readonly startedAt: bigint;
  /** Source of all times. */
  readonly clock: Clock;
  /** Nanoseconds since the tape's start. */
  now(): number;
  /** Calls the listener for each entry from now on; returns a function that removes it. */
  listen(listener: TapeListener): () => void;
}

/** The one ordered record of everything that happens. Costs nothing without listeners. */
export interface Tape extends ReadableTape {
  /** Whether a listener reads this kind: writers check this first. */
  wants(kind: Entry['kind']): boolean;
  /** Adds an entry now. Does nothing without a listener for its kind. */
  write(happening: Happening): void;
  /** A new call number, from 1. */
  nextCall(): number;
  /** Promise that calls wait for; undefined when the tape has space. */
  room(): Promise<unknown> | undefined;
  end(): void;
}

export interface TapePart {
  readonly node: string;
  readonly startedAt: bigint;
  /** Returns a call number that is unique among all parts. */
  readonly nextCall: () => number;
}

/** A tape that begins now; `part` makes it one of several. */
export function createTape(clock: Clock, part?: TapePart): Tape {
  const listeners = new Set<TapeListener>();
  const readers = new Map<Entry['kind'], readonly TapeListener[]>();
  const readersOf = (kind: Entry['kind']): readonly TapeListener[] => {
    const known = readers.get(kind);
    if (known !== undefined) return known;
    const found = [...listeners].filter(({ only }) => only === undefined || only.includes(kind));
    readers.set(kind, found);
    return found;
  };
  const startedAt = part?.startedAt ?? clock.now();
  const where = part && { node: part.node };
  const now = () => Number(clock.now() - startedAt);
  let calls = 0;
  let isOver = false;
  return {
    startedAt,
    clock,
    wants: (kind) => readersOf(kind).length > 0,
    now,
    write: (happening) => {
      const found = readersOf(happening.kind);
      if (found.length === 0) return;
      const entry = { t: now(), ...where, ...happening } as Entry;
      for (const listener of found) listener.entry(entry);
    },
    nextCall: part?.nextCall ?? (() => ++calls),
    room: () => {
      let waits: Promise<void>[] | undefined;
      for (const listener of readersOf('call')) {
        const wait = listener.room?.();
        if (wait !== undefined) waits = [...(waits ?? []), wait];
      }
      return waits && Promise.all(waits);
    },
    end: () => {
      isOver = true;
      listeners.clear();
      readers.clear();
    },
    listen: (listener) => {
      if (!isOver) listeners.add(listener);
      readers.clear();
      return () => {
        listeners.delete(listener);
        readers.clear();
      };
    },
  };
}

/** Calls back for each entry of one kind from now on; returns a function that stops it. */
export function listenTo<K extends Entry['kind']>(
  tape: ReadableTape,
  kind: K,
  read: (entry: EntryOf<K>) => void,
): () => void {
  return tape.listen({ only: [kind], entry: (entry) => read(entry as EntryOf<K>) });
}
