import type { Happening, Header } from '../entries.js';

export interface LoggedHappening {
  readonly time: bigint;
  readonly happening: Happening;
}

export interface LogReader {
  /** Undefined for a line about something else. Throws InputError for a line that can't be read. */
  read(line: string): LoggedHappening | undefined;
  readonly runtime?: Header['runtime'];
  readonly option: string;
  readonly lacks: readonly string[];
  /** Calls read so far, and replies whose call the log lacks. */
  readonly counts: { readonly calls: number; readonly orphans: number };
}
