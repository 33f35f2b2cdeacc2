import { closeSync, openSync, readSync } from 'node:fs';

export interface LogReader {
  /** Passes on lines added since the last call. */
  read(): void;
  close(): void;
}

/** Bytes per read. */
const CHUNK = 64 * 1024;
/** Longer lines are cut. */
const LONGEST_LINE = 16 * 1024;

/** Starts at this position of an existing file. */
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
