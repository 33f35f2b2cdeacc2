/** What the program that made the page knows in addition to the tapes. */
export interface About {
  /** Whether the page follows a running server. */
  readonly live?: boolean;
  /** The node that it follows, where the server has several. */
  readonly node?: string;
  readonly title?: string;
  /** What a scenario says about itself. */
  readonly see?: string;
  readonly why?: string;
  readonly fix?: string;
  /** Lines of a table that puts the runs side by side. */
  readonly comparison?: readonly string[];
  /** What is known of each tape, in their order. */
  readonly runs?: readonly {
    /** Sentences about the run; `t` in seconds since the tape's start. */
    readonly findings: readonly { readonly t: number; readonly text: string }[];
    /** Expectations of the scenario that are not met. */
    readonly problems: readonly string[];
  }[];
  /** The rule that a conformance check found broken. */
  readonly failure?: {
    readonly rule: string;
    /** Where the rule is written. */
    readonly source: string;
    readonly expected: string;
    readonly received: string;
    /** Nanoseconds since the tape's start; what comes after it is the check's cleanup. */
    readonly t: number;
  };
  /** What differs between two tapes; lines of both, 0 where one has nothing. */
  readonly differences?: readonly {
    readonly about: string;
    readonly lines: readonly [number, number];
    readonly texts: readonly [string, string];
  }[];
}
