import { parseLogLine } from './log-line.js';
import type { LogOptions } from './log-options.js';

/** Turns the lines of a log file into what a client gets. */
export interface LogWriter {
  /** The bytes for a line of the file, with its newline; empty when it is left out. */
  write(line: Buffer): Buffer;
  /** Whether the client has all that it asked for. */
  readonly done: boolean;
}

const NEWLINE = 0x0a;
const NOTHING = Buffer.alloc(0);

/** Leaves out what is too old, adds timestamps, and stops at the limits (cri-client logs.go logWriter, ReadLogs). */
export function createLogWriter({ follow, since, timestamps, tailLines, limitBytes }: LogOptions): LogWriter {
  let remaining = limitBytes ?? Number.POSITIVE_INFINITY;
  // The file can grow while its end is read.
  let lines = tailLines === undefined || follow ? Number.POSITIVE_INFINITY : tailLines;
  let isNewLine = true;
  return {
    write: (line) => {
      const parsed = parseLogLine(line);
      if (parsed === undefined) return NOTHING;
      lines--;
      const { timestamp, time, content } = parsed;
      const prefix = timestamps && isNewLine ? [Buffer.from(`${timestamp} `)] : [];
      isNewLine = content.length === 0 || content.at(-1) === NEWLINE;
      if (since !== undefined && time < since) return NOTHING;
      const bytes = Buffer.concat([...prefix, content]).subarray(0, remaining);
      remaining -= bytes.length;
      return bytes;
    },
    get done() {
      return remaining <= 0 || lines <= 0;
    },
  };
}
