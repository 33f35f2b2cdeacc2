import type { Happening, Header } from '../entries.js';

export interface LoggedHappening {
  readonly time: bigint;
  readonly happening: Happening;
}

/** Reads the lines of one log, in order. */
export interface LogReader {
  /** Undefined for a line about something else. Throws InputError for a line that can't be read. */
  read(line: string): LoggedHappening | undefined;
  /** The runtime, if it wrote the log. */
  readonly runtime?: Header['runtime'];
  /** Option that makes the program log its calls. */
  readonly option: string;
  /** Data that such a log lacks. */
  readonly lacks: readonly string[];
  /** Calls read so far, and replies whose call the log lacks. */
  readonly counts: { readonly calls: number; readonly orphans: number };
}
