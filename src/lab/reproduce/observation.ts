import type { RuntimeProfileName } from '../../runtime/profiles/index.js';
import type { PlacedSeen, Seen, Span } from './facts.js';

export interface SeenDeletion {
  readonly pod: string;
  readonly time: Span | undefined;
  readonly why: string;
}

type Placed<K extends Seen['what']> = Omit<Extract<PlacedSeen, { what: K }>, 'what' | 'first' | 'until'>;

export type PlacedRow = Placed<'row'> & { readonly until?: Span | undefined };
export type PlacedEvent = Placed<'event'> & { readonly first: Span | undefined };
export type PlacedNode = Placed<'node'>;
export type PlacedLine = Placed<'log'>;
export type PlacedContainer = Placed<'container'>;
export type PlacedEnd = Placed<'end'>;

/** The contents of all files on one time axis. JSON. */
export interface Observation {
  readonly rows: readonly PlacedRow[];
  readonly events: readonly PlacedEvent[];
  readonly nodes: readonly PlacedNode[];
  readonly log: readonly PlacedLine[];
  readonly containers: readonly PlacedContainer[];
  readonly ends: readonly PlacedEnd[];
  readonly deleted: readonly SeenDeletion[];
  /** In seconds: before this time, missing events mean nothing, because events expire, oldest first. */
  readonly begin: number;
  /** Time of the last observation, in seconds. */
  readonly end: number;
  /** Seconds subtracted from all times, because the beginning was not observed. */
  readonly shift: number;
  readonly version: string | undefined;
  readonly runtime: RuntimeProfileName | undefined;
  /** Whether any time in the run is known; without one, only distances count. */
  readonly isPlaced: boolean;
  /** Whether the text says that it is an excerpt: missing lines mean nothing. */
  readonly isExcerpt: boolean;
}
