import { GrowingBuffer } from './growing-buffer.js';

const NEWLINE = 10;

/** Throws for a line of more than `most` bytes. Unlike readline, it loses no lines while its reader waits. */
export async function* linesOf(stream: AsyncIterable<Buffer>, most: number): AsyncGenerator<string> {
  let line = new GrowingBuffer();
  for await (const chunk of stream) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      line.append(chunk.subarray(start, end));
      yield line.bytes().toString();
      line = new GrowingBuffer();
      start = end + 1;
    }
    line.append(chunk.subarray(start));
    if (line.length > most) throw new Error(`a line has more than ${most / 1024 ** 2} MiB`);
  }
}
