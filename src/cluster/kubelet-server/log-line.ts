/** One line of a CRI log file: `2016-10-06T00:17:09.669794202Z stdout P log content`. */
export interface LogLine {
  readonly timestamp: string;
  /** Unix nanoseconds. */
  readonly time: bigint;
  /** With the newline, except in a partial line. */
  readonly content: Buffer;
}

const SPACE = 0x20;
const NEWLINE = 0x0a;
const TIMESTAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;

/** Parses a line with its newline; undefined for another format (cri-client logs.go parseCRILog). */
export function parseLogLine(line: Buffer): LogLine | undefined {
  const timeEnd = line.indexOf(SPACE);
  const streamEnd = line.indexOf(SPACE, timeEnd + 1);
  const tagEnd = line.indexOf(SPACE, streamEnd + 1);
  if (timeEnd < 0 || streamEnd < 0 || tagEnd < 0) return undefined;
  const timestamp = line.toString('latin1', 0, timeEnd);
  const time = nanosOf(timestamp);
  const stream = line.toString('latin1', timeEnd + 1, streamEnd);
  if (time === undefined || (stream !== 'stdout' && stream !== 'stderr')) return undefined;
  const [tag] = line.toString('latin1', streamEnd + 1, tagEnd).split(':');
  const end = tag === 'P' && line.at(-1) === NEWLINE ? line.length - 1 : line.length;
  return { timestamp, time, content: line.subarray(tagEnd + 1, end) };
}

function nanosOf(timestamp: string): bigint | undefined {
  const [, seconds, fraction = '', zone] = TIMESTAMP.exec(timestamp) ?? [];
  const milliseconds = Date.parse(`${seconds}${zone}`);
  if (Number.isNaN(milliseconds)) return undefined;
  return BigInt(milliseconds) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
}
