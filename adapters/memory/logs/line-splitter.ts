export type LogStream = 'stdout' | 'stderr';

/** containerd's max_container_log_line_size. */
const MAX_LINE = 16 * 1024;

const NOTHING = Buffer.alloc(0);
const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** Splits a stream into CRI log lines: F for a whole line, P for a piece of a too long or incomplete one. */
export class LineSplitter {
  readonly #stream: LogStream;
  #rest: Buffer = NOTHING;

  constructor(stream: LogStream) {
    this.#stream = stream;
  }

  /** Returns the log lines that `chunk` completes; `now` in Unix nanoseconds. */
  push(chunk: Buffer, now: bigint): Buffer {
    const out: Buffer[] = [];
    const data = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
    let start = 0;
    for (let end = data.indexOf(NEWLINE); end >= 0; end = data.indexOf(NEWLINE, start)) {
      start = this.#cut(data, start, end, out, now);
      const hasReturn = end > start && data[end - 1] === RETURN;
      out.push(this.#line('F', data.subarray(start, hasReturn ? end - 1 : end), now));
      start = end + 1;
    }
    start = this.#cut(data, start, data.length, out, now);
    this.#rest = start < data.length ? Buffer.from(data.subarray(start)) : NOTHING;
    return Buffer.concat(out);
  }

  /** Returns output without a final newline, as containerd writes it at the end. */
  end(now: bigint): Buffer {
    const rest = this.#rest;
    this.#rest = NOTHING;
    return rest.length > 0 ? this.#line('P', rest, now) : rest;
  }

  /** Writes P lines for the excess of a long line; returns where the rest begins. */
  #cut(data: Buffer, from: number, to: number, out: Buffer[], now: bigint): number {
    let start = from;
    for (; to - start > MAX_LINE; start += MAX_LINE) {
      out.push(this.#line('P', data.subarray(start, start + MAX_LINE), now));
    }
    return start;
  }

  #line(tag: 'P' | 'F', content: Buffer, now: bigint): Buffer {
    return Buffer.concat([
      Buffer.from(`${formatTime(now)} ${this.#stream} ${tag} `),
      content,
      Buffer.from('\n'),
    ]);
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
