import type { RuntimeProfileName } from '../../runtime/profiles/index.js';
import type { PlacedSeen, Seen, Span } from './seen.js';

/** When somebody asked a pod to end. */
export interface SeenDeletion {
  readonly pod: string;
  readonly time: Span | undefined;
  /** Where this is from, in words. */
  readonly why: string;
}

type Placed<K extends Seen['what']> = Omit<Extract<PlacedSeen, { what: K }>, 'what' | 'first' | 'until'>;

/** A row on the axis of runs. */
export type PlacedRow = Placed<'row'> & { readonly until?: Span | undefined };
/** An event on the axis of runs. */
export type PlacedEvent = Placed<'event'> & { readonly first: Span | undefined };
/** A state of the node on the axis of runs. */
export type PlacedNode = Placed<'node'>;
/** A line of the log on the axis of runs. */
export type PlacedLine = Placed<'log'>;
/** A container of the runtime on the axis of runs. */
export type PlacedContainer = Placed<'container'>;
/** The end of a container on the axis of runs. */
export type PlacedEnd = Placed<'end'>;

/** What was seen, of all files together, on one axis of time. JSON. */
export interface Observation {
  readonly rows: readonly PlacedRow[];
  readonly events: readonly PlacedEvent[];
  readonly nodes: readonly PlacedNode[];
  readonly log: readonly PlacedLine[];
  readonly containers: readonly PlacedContainer[];
  readonly ends: readonly PlacedEnd[];
  /** When pods were asked to end, as far as what was seen says so. */
  readonly deleted: readonly SeenDeletion[];
  /** Since when what is missing is known to be missing, in seconds: events expire, and those of a pod's start come first. */
  readonly begin: number;
  /** When the last thing was seen, in seconds. */
  readonly end: number;
  /** Seconds that were taken off all times, because what came before was not seen. */
  readonly shift: number;
  readonly version: string | undefined;
  readonly runtime: RuntimeProfileName | undefined;
  /** Whether anything says when in a run it was seen; without that, only the times between what was seen count. */
  readonly isPlaced: boolean;
  /** Whether it is an excerpt, by its own account: what is missing in it says nothing at all. */
  readonly isExcerpt: boolean;
}
