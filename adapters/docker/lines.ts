import { linesOf } from '../../src/base/input/lines.js';

/** Of an event, which has the labels of its container, or of a message of progress, in bytes. */
const LARGEST_LINE = 1024 ** 2;

/** The lines of a stream of Docker, without blank ones. */
export async function* filledLines(stream: AsyncIterable<Buffer>): AsyncGenerator<string> {
  for await (const line of linesOf(stream, LARGEST_LINE)) if (line.trim() !== '') yield line;
}
