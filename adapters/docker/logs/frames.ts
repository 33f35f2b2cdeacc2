/** With a terminal everything is stdout, without frames. */
export type LogStream = 'stdout' | 'stderr';

export interface Frame {
  readonly stream: LogStream;
  readonly data: Buffer;
}

/** A frame's header: one byte for the stream, three unused, four for the length. */
const HEADER = 8;
const STDERR = 2;
/** Docker's frames hold at most 32 KiB. */
const LARGEST_FRAME = 1024 * 1024;

/** Splits Docker's multiplexed stream into its frames; drops an incomplete last one. */
export async function* readFrames(stream: AsyncIterable<Buffer>): AsyncGenerator<Frame> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of stream) {
    const data = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    let start = 0;
    while (data.length - start >= HEADER) {
      const length = data.readUInt32BE(start + 4);
      if (length > LARGEST_FRAME) throw new RangeError(`a frame of ${length} bytes`);
      const end = start + HEADER + length;
      if (data.length < end) break;
      yield {
        stream: data[start] === STDERR ? 'stderr' : 'stdout',
        data: data.subarray(start + HEADER, end),
      };
      start = end;
    }
    rest = data.subarray(start);
  }
}
