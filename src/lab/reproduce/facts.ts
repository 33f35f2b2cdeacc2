import type { RuntimeProfileName } from '../../runtime/profiles/index.js';

/** A time in the notation of its source. */
export type SeenTime =
  /** Wall clock: Unix ms, accurate to `within` ms. */
  | { readonly by: 'clock'; readonly ms: number; readonly within: number }
  /** Seconds since the pod's creation. */
  | { readonly by: 'age'; readonly span: Span }
  /** Seconds before the command that printed it; all times of one capture share the number. */
  | { readonly by: 'ago'; readonly capture: number; readonly span: Span }
  /** Seconds since the kubelet's start, in Mockri's own output. */
  | { readonly by: 'run'; readonly seconds: number };

/** Earliest and latest possible time, in seconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export const middle = ({ from, to }: Span): number => (from + to) / 2;

interface Timed {
  readonly times: readonly SeenTime[];
}

export interface SeenRow extends Timed {
  readonly what: 'row';
  readonly pod: string;
  readonly ready: string;
  readonly status: string;
  readonly restarts: number;
  /** Seconds between the last restart and the row: `4 (17m ago)`. */
  readonly restarted?: Span | undefined;
  /** The table that contains it, if that has a header. */
  readonly table?: number | undefined;
  /** For a watch: when the next line came; nothing changed until then. */
  readonly until?: readonly SeenTime[] | undefined;
}

export interface SeenEvent extends Timed {
  readonly what: 'event';
  /** Empty for an event of the node. */
  readonly pod: string;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  /** Reporting component, if the text names it: `kubelet`, `multus`. */
  readonly source?: string | undefined;
  /** First of several occurrences; `times` is the last. */
  readonly first: readonly SeenTime[];
}

export interface SeenNode extends Timed {
  readonly what: 'node';
  readonly isReady: boolean;
  readonly message?: string | undefined;
}

export interface SeenLine extends Timed {
  readonly what: 'log';
  readonly kind: string;
}

export interface SeenContainer extends Timed {
  readonly what: 'container';
  readonly pod: string;
  readonly name: string;
  readonly attempt: number;
  readonly isRunning: boolean;
}

export interface SeenEnd extends Timed {
  readonly what: 'end';
  readonly pod: string;
  readonly container: string;
  readonly exitCode: number;
  readonly reason: string;
  /** Run time in seconds. */
  readonly ran?: number | undefined;
}

/** When a pod was created or deleted; relates the times of several sources. */
export interface SeenMoment extends Timed {
  readonly what: 'created' | 'deleted';
  readonly pod: string;
}

export interface SeenVersion {
  readonly what: 'version';
  readonly version: string;
}

export interface SeenRuntime {
  readonly what: 'runtime';
  readonly runtime: RuntimeProfileName;
}

export interface SeenGap {
  readonly what: 'gap';
}

export type Seen =
  | SeenRow
  | SeenEvent
  | SeenNode
  | SeenLine
  | SeenContainer
  | SeenEnd
  | SeenMoment
  | SeenVersion
  | SeenRuntime
  | SeenGap;

/** An observation in seconds since the kubelet's start; undefined without a known time. */
export type PlacedSeen = PlacedOf<Seen>;
type PlacedOf<T> = T extends Seen
  ? Omit<T, 'times' | 'first' | 'until'> & {
      readonly time: Span | undefined;
      readonly first: Span | undefined;
      readonly until?: Span | undefined;
    }
  : never;

export interface SeenFile {
  readonly file: string;
  readonly seen: readonly Seen[];
  /** Summary, such as `12 rows of pods`. */
  readonly parts: readonly string[];
  /** Non-empty lines. */
  readonly lines: { readonly read: number; readonly unread: number };
  readonly examples: readonly string[];
}
