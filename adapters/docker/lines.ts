import { linesOf } from '../../src/base/input/lines.js';

/** Maximum bytes of a line: an event, which includes its container's labels, or a progress message. */
const LARGEST_LINE = 1024 ** 2;

export async function* filledLines(stream: AsyncIterable<Buffer>): AsyncGenerator<string> {
  for await (const line of linesOf(stream, LARGEST_LINE)) if (line.trim() !== '') yield line;
}
