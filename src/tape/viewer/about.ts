export interface About {
  readonly live?: boolean;
  /** The followed node, if the server has several. */
  readonly node?: string;
  readonly title?: string;
  readonly see?: string;
  readonly why?: string;
  readonly fix?: string;
  readonly comparison?: readonly string[];
  readonly runs?: readonly {
    /** Sentences about the run; `t` is in seconds since the tape's start. */
    readonly findings: readonly { readonly t: number; readonly text: string }[];
    readonly problems: readonly string[];
  }[];
  /** The rule that a conformance check found broken. */
  readonly failure?: {
    readonly rule: string;
    readonly source: string;
    readonly expected: string;
    readonly received: string;
    /** Nanoseconds since the tape's start; everything later is the check's cleanup. */
    readonly t: number;
  };
  /** Differences between two tapes; lines of both, 0 if missing. */
  readonly differences?: readonly {
    readonly about: string;
    readonly lines: readonly [number, number];
    readonly texts: readonly [string, string];
  }[];
}
