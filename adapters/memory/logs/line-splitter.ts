export type LogStream = 'stdout' | 'stderr';

/** containerd's max_container_log_line_size. */
const MAX_LINE = 16 * 1024;

const NOTHING = Buffer.alloc(0);
const NEWLINE = 0x0a;
const NEWLINES = Buffer.from('\n');
const RETURN = 0x0d;

/** Splits a stream into CRI log lines: F for a whole line, P for a piece of a line that is too long or incomplete. */
export class LineSplitter {
  readonly #stream: LogStream;
  #rest: Buffer = NOTHING;

  constructor(stream: LogStream) {
    this.#stream = stream;
  }

  /** Returns the log lines that `chunk` completes; `now` in Unix nanoseconds. */
  push(chunk: Buffer, now: bigint): Buffer {
    const lines = new Lines(this.#stream, now);
    const data = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
    let start = 0;
    for (let end = data.indexOf(NEWLINE); end >= 0; end = data.indexOf(NEWLINE, start)) {
      start = lines.cut(data, start, end);
      const hasReturn = end > start && data[end - 1] === RETURN;
      lines.add('F', data.subarray(start, hasReturn ? end - 1 : end));
      start = end + 1;
    }
    start = lines.cut(data, start, data.length);
    this.#rest = start < data.length ? Buffer.from(data.subarray(start)) : NOTHING;
    return Buffer.concat(lines.parts);
  }

  /** Returns output without a final newline, as containerd writes it at the end. */
  end(now: bigint): Buffer {
    const lines = new Lines(this.#stream, now);
    if (this.#rest.length > 0) lines.add('P', this.#rest);
    this.#rest = NOTHING;
    return Buffer.concat(lines.parts);
  }
}

/** Log lines with the same time. */
class Lines {
  readonly parts: Buffer[] = [];
  readonly #head: string;
  readonly #heads = new Map<string, Buffer>();

  constructor(stream: LogStream, now: bigint) {
    this.#head = `${formatTime(now)} ${stream} `;
  }

  add(tag: 'P' | 'F', content: Buffer): void {
    const head = this.#heads.get(tag) ?? Buffer.from(`${this.#head}${tag} `);
    this.#heads.set(tag, head);
    this.parts.push(head, content, NEWLINES);
  }

  /** Adds P lines for the excess of a long line; returns where the rest begins. */
  cut(data: Buffer, from: number, to: number): number {
    let start = from;
    for (; to - start > MAX_LINE; start += MAX_LINE) this.add('P', data.subarray(start, start + MAX_LINE));
    return start;
  }
}

/** RFC 3339 with nanoseconds, in the local time zone. */
export function formatTime(nanos: bigint): string {
  const date = new Date(Number(nanos / 1_000_000n));
  const offset = -date.getTimezoneOffset();
  const local = new Date(date.getTime() + offset * 60_000).toISOString().slice(0, 19);
  const fraction = (nanos % 1_000_000_000n).toString().padStart(9, '0');
  const pad = (value: number) => String(Math.trunc(Math.abs(value))).padStart(2, '0');
  const zone = offset === 0 ? 'Z' : `${offset < 0 ? '-' : '+'}${pad(offset / 60)}:${pad(offset % 60)}`;
  return `${local}.${fraction}${zone}`;
}
