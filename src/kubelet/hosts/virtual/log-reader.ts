import { closeSync, openSync, readSync } from 'node:fs';

/** Reads a log while it is written. */
export interface LogReader {
  /** Passes on the lines that were added since the last call. */
  read(): void;
  close(): void;
}

/** Bytes that are read at a time. */
const CHUNK = 64 * 1024;
/** A line is cut here. */
const LONGEST_LINE = 16 * 1024;

/** Begins at this position of a file that is there. */
export function createLogReader(file: string, from: number, line: (text: string) => void): LogReader {
  const descriptor = openSync(file, 'r');
  const chunk = Buffer.alloc(CHUNK);
  let at = from;
  let begun = '';
  return {
    read: () => {
      for (;;) {
        const count = readSync(descriptor, chunk, 0, CHUNK, at);
        if (count === 0) return;
        at += count;
        const lines = (begun + chunk.toString('utf8', 0, count)).split('\n');
        begun = (lines.pop() ?? '').slice(0, LONGEST_LINE);
        for (const each of lines) line(each.slice(0, LONGEST_LINE));
      }
    },
    close: () => closeSync(descriptor),
  };
}
