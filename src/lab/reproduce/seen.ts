import type { RuntimeProfileName } from '../../runtime/profiles/index.js';

/** A time as a source has it. */
export type SeenTime =
  /** A clock on the wall: Unix ms, as exact as `within` ms. */
  | { readonly by: 'clock'; readonly ms: number; readonly within: number }
  /** Seconds since the pod's creation. */
  | { readonly by: 'age'; readonly span: Span }
  /** Seconds before the command that printed it; those of one capture have the same number. */
  | { readonly by: 'ago'; readonly capture: number; readonly span: Span }
  /** Seconds since the kubelet's start, as Mockri's own output has them. */
  | { readonly by: 'run'; readonly seconds: number };

/** From the earliest to the latest that it may be, in seconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** What is seen has the times that its source gives; a row can have a clock's and an age. */
interface Timed {
  readonly times: readonly SeenTime[];
}

/** A line of `kubectl get pod`. */
export interface SeenRow extends Timed {
  readonly what: 'row';
  readonly pod: string;
  readonly ready: string;
  readonly status: string;
  readonly restarts: number;
  /** The table that it stands in, if that has a header. */
  readonly table?: number | undefined;
  /** Of a watch: when its next line came, until which nothing has changed. */
  readonly until?: readonly SeenTime[] | undefined;
}

/** An event of a pod or of the node, with how often it came. */
export interface SeenEvent extends Timed {
  readonly what: 'event';
  /** Empty for one of the node. */
  readonly pod: string;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  /** The component that sent it, where the text says so: `kubelet`, `multus`. */
  readonly source?: string | undefined;
  /** The first of several; `times` is the last. */
  readonly first: readonly SeenTime[];
}

/** The node's condition Ready. */
export interface SeenNode extends Timed {
  readonly what: 'node';
  readonly isReady: boolean;
  readonly message?: string | undefined;
}

/** A line of the kubelet's log, with its kind. */
export interface SeenLine extends Timed {
  readonly what: 'log';
  readonly kind: string;
}

/** A container as the runtime lists it. */
export interface SeenContainer extends Timed {
  readonly what: 'container';
  readonly pod: string;
  readonly name: string;
  readonly attempt: number;
  readonly isRunning: boolean;
}

/** The end of a container. */
export interface SeenEnd extends Timed {
  readonly what: 'end';
  readonly pod: string;
  readonly container: string;
  readonly exitCode: number;
  readonly reason: string;
  /** Seconds that it ran. */
  readonly ran?: number | undefined;
}

/** When a pod was created or asked to end: it joins the times of several sources. */
export interface SeenMoment extends Timed {
  readonly what: 'created' | 'deleted';
  readonly pod: string;
}

/** The version of the kubelet, from the node. */
export interface SeenVersion {
  readonly what: 'version';
  readonly version: string;
}

/** The runtime, from the node. */
export interface SeenRuntime {
  readonly what: 'runtime';
  readonly runtime: RuntimeProfileName;
}

/** Dots in place of lines: who wrote this has left some out. */
export interface SeenGap {
  readonly what: 'gap';
}

/** One thing that was seen. */
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

/** Something that was seen with its time on the axis of runs, undefined when nothing tells it: seconds since the kubelet's start. */
export type PlacedSeen = PlacedOf<Seen>;
type PlacedOf<T> = T extends Seen
  ? Omit<T, 'times' | 'first' | 'until'> & {
      readonly time: Span | undefined;
      readonly first: Span | undefined;
      readonly until?: Span | undefined;
    }
  : never;

/** What a file has shown. */
export interface SeenFile {
  readonly file: string;
  readonly seen: readonly Seen[];
  /** What was read, in words: `12 rows of pods`. */
  readonly parts: readonly string[];
  /** Lines with text that were read, and that were not. */
  readonly lines: { readonly read: number; readonly unread: number };
  /** Some that were not. */
  readonly examples: readonly string[];
}
