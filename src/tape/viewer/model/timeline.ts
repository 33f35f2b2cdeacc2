import type { Header, Line } from '../../entries.js';

/** What an item means; the page has a color for each. */
export type Tone = 'good' | 'bad' | 'warn' | 'idle' | 'wait' | 'info' | 'fault' | 'step' | 'none';

/** How an item is drawn: spans as bars or hatched, moments as the others. */
export type Shape = 'bar' | 'hatch' | 'dot' | 'flag' | 'tick' | 'cross';

/** One thing in a lane. Times are nanoseconds since the start of the tape. */
export interface Item {
  readonly t: number;
  /** Equal to `t` for a moment; undefined while it lasts. */
  end: number | undefined;
  readonly shape: Shape;
  tone: Tone;
  /** Short: it stands in the bar. */
  label: string;
  /** One sentence: it stands in the hint and in the table. */
  text: string;
  /** Line of the tape, from 1. */
  readonly line: number;
  /** Line of the answer to a call, or of what ended a span. */
  endLine?: number;
  /** Row within the lane, so that no bars overlap. */
  row: number;
  readonly lane: Lane;
  /** Of a call: RPC and gRPC code. */
  readonly method?: string;
  code?: string;
  /** Fault rules that took part. */
  rules?: string[];
}

/** What a lane is about. */
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

/** One line of the picture. */
export interface Lane {
  readonly kind: LaneKind;
  readonly label: string;
  /** `namespace/name` of the pod; empty for the node. */
  readonly pod: string;
  items: Item[];
  /** Rows of items, at least 1. */
  rows: number;
}

/** A relation that is drawn as an arrow. */
export interface Link {
  readonly from: Item;
  readonly to: Item;
  readonly why: 'hit' | 'event' | 'seen' | 'restart';
}

/** A sentence about what happened, with its moment. */
export interface Moment {
  readonly t: number;
  readonly text: string;
  readonly tone: Tone;
  /** What it is about, when it is one item. */
  readonly item?: Item | undefined;
}

/** A tape as a picture. */
export interface Timeline {
  readonly header: Header;
  /** Nanoseconds of the last entry. */
  readonly end: number;
  /** In the order in which they are drawn: those of the node, then pod by pod. */
  readonly lanes: readonly Lane[];
  /** In order of time of `from`. */
  readonly links: readonly Link[];
  readonly moments: readonly Moment[];
  readonly calls: number;
  /** RPCs and codes of the calls. */
  readonly methods: ReadonlySet<string>;
  readonly codes: ReadonlySet<string>;
  readonly lines: number;
}

/** A line of one kind. */
export type LineOf<K extends Line['kind']> = Extract<Line, { kind: K }>;
