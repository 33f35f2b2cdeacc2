import { linesOf } from '../../src/base/input/lines.js';

/** Bytes of an event, which has the labels of its container, or of a progress message. */
const LARGEST_LINE = 1024 ** 2;

export async function* filledLines(stream: AsyncIterable<Buffer>): AsyncGenerator<string> {
  for await (const line of linesOf(stream, LARGEST_LINE)) if (line.trim() !== '') yield line;
}
