import type { Header, Line } from '../../entries.js';

/** Meaning of an item; the page has a color for each. */
export type Tone = 'good' | 'bad' | 'warn' | 'idle' | 'wait' | 'info' | 'fault' | 'step' | 'none';

/** How to draw an item: bars and hatches are spans, the others moments. */
export type Shape = 'bar' | 'hatch' | 'dot' | 'flag' | 'tick' | 'cross';

/** Times are nanoseconds since the tape's start. */
export interface Item {
  readonly t: number;
  /** Equal to `t` for a moment; undefined while it lasts. */
  end: number | undefined;
  readonly shape: Shape;
  tone: Tone;
  /** Meaning of its end if that differs: a container that ran and then failed. */
  endTone?: Tone;
  label: string;
  text: string;
  /** Line of the tape, from 1. */
  readonly line: number;
  endLine?: number;
  /** Row within the lane that avoids overlaps. */
  row: number;
  readonly lane: Lane;
  /** For a call: RPC and gRPC code. */
  readonly method?: string;
  code?: string;
  rules?: string[];
}

export type LaneKind =
  | 'fault'
  | 'node'
  | 'runtime'
  | 'kubelet'
  | 'pleg'
  | 'plugin'
  | 'stream'
  | 'connection'
  | 'row'
  | 'sandbox'
  | 'container'
  | 'event'
  | 'call'
  | 'log';

export interface Lane {
  readonly kind: LaneKind;
  readonly label: string;
  /** `namespace/name` of the pod; empty for the node. */
  readonly pod: string;
  items: Item[];
  /** Number of rows, at least 1. */
  rows: number;
}

export interface Link {
  readonly from: Item;
  readonly to: Item;
  readonly why: 'hit' | 'event' | 'seen' | 'restart';
}

export interface Moment {
  readonly t: number;
  readonly text: string;
  readonly tone: Tone;
  readonly item?: Item | undefined;
}

export interface Timeline {
  readonly header: Header;
  /** Time of the last entry, in ns. */
  readonly end: number;
  readonly lanes: readonly Lane[];
  /** Ordered by the time of `from`. */
  readonly links: readonly Link[];
  readonly moments: readonly Moment[];
  readonly calls: number;
  readonly methods: ReadonlySet<string>;
  readonly codes: ReadonlySet<string>;
  readonly lines: number;
}

export type LineOf<K extends Line['kind']> = Extract<Line, { kind: K }>;
