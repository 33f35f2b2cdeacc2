import type { Happening, Header } from '../entries.js';

/** What a line of a log says, and when, in Unix nanoseconds. */
export interface LoggedHappening {
  readonly time: bigint;
  readonly happening: Happening;
}

/** Reads the lines of one log, in order. */
export interface LogReader {
  /** Undefined for a line about something else. Throws InputError for one that can't be read. */
  read(line: string): LoggedHappening | undefined;
  /** The runtime, where the log is its own. */
  readonly runtime?: Header['runtime'];
  /** The option with which the program writes its calls to the log. */
  readonly option: string;
  /** What such a log has not. */
  readonly lacks: readonly string[];
  /** Calls that were read so far, and answers whose call the log lacks. */
  readonly counts: { readonly calls: number; readonly orphans: number };
}
