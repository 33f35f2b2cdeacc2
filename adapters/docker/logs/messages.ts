import { type LogStream, readFrames } from './frames.js';

export interface LogMessage {
  readonly stream: LogStream;
  /** RFC 3339 in UTC with nine fractional digits: such times compare as texts. */
  readonly time: string;
  readonly content: Buffer;
  /** Whether the line ends here; a long line consists of several messages, and the last line may be incomplete. */
  readonly full: boolean;
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;

/** Docker splits longer lines. */
const LONGEST = 16 * 1024;

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/;
const TIME_LENGTH = '2026-01-01T00:00:00.000000000Z'.length;

/** Reads the reply to `GET /containers/{id}/logs?timestamps=1`: framed, or plain text for a terminal. */
export function readMessages(stream: AsyncIterable<Buffer>, tty: boolean): AsyncGenerator<LogMessage> {
  return tty ? readText(stream) : readFramed(stream);
}

async function* readFramed(stream: AsyncIterable<Buffer>): AsyncGenerator<LogMessage> {
  for await (const { stream: name, data } of readFrames(stream)) {
    const message = parse(name, data);
    if (message !== undefined) yield message;
  }
}

/** A terminal's log has no frames: a message ends with a newline, or where the next one's time begins. */
async function* readText(stream: AsyncIterable<Buffer>): AsyncGenerator<LogMessage> {
  let rest: Buffer = Buffer.alloc(0);
  const longest = TIME_LENGTH + 1 + LONGEST;
  for await (const chunk of stream) {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const newline = rest.indexOf(NEWLINE);
      // A full-length piece followed by a newline is a whole line.
      const isCut = newline < 0 ? rest.length > longest : newline > longest;
      if (newline < 0 && !isCut) break;
      const end = isCut ? longest : newline + 1;
      const message = parse('stdout', rest.subarray(0, end));
      if (message !== undefined) yield message;
      rest = rest.subarray(end);
    }
  }
  const last = parse('stdout', rest);
  if (last !== undefined) yield last;
}

function parse(stream: LogStream, data: Buffer): LogMessage | undefined {
  const time = data.toString('latin1', 0, TIME_LENGTH);
  if (!TIME.test(time) || data[TIME_LENGTH] !== SPACE) return undefined;
  const full = data[data.length - 1] === NEWLINE;
  const end = data.length - (full ? (data[data.length - 2] === RETURN ? 2 : 1) : 0);
  const start = Math.min(TIME_LENGTH + 1, end);
  return { stream, time, content: Buffer.from(data.subarray(start, end)), full };
}

export function formatMessage({ time, stream, full, content }: LogMessage): Buffer {
  return Buffer.concat([Buffer.from(`${time} ${stream} ${full ? 'F' : 'P'} `), content, Buffer.of(NEWLINE)]);
}
