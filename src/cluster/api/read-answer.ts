import type { IncomingMessage } from 'node:http';
import { GrowingBuffer } from '../../base/input/growing-buffer.js';

/** Bytes of an answer: of one object (etcd takes 1.5 MiB, and a server at most 3 MiB), and of a page of a list. */
export const LARGEST_OBJECT = 16 * 1024 * 1024;
/** See LARGEST_OBJECT. */
export const LARGEST_PAGE = 128 * 1024 * 1024;

/** The text of an answer. Throws for one of more than `most` bytes, and reads no more of it. */
export async function readAnswer(answer: IncomingMessage, most: number): Promise<string> {
  const text = new GrowingBuffer();
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    if (text.length + chunk.length > most) throw new Error(`the answer has more than ${most} bytes`);
    text.append(chunk);
  }
  return text.bytes().toString();
}

const NEWLINE = 10;

/** The lines of an answer, each of LARGEST_OBJECT at most. Not readline, which drops lines while its reader waits. */
export async function* linesOf(answer: IncomingMessage): AsyncGenerator<string> {
  let line = new GrowingBuffer();
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      line.append(chunk.subarray(start, end));
      yield line.bytes().toString();
      line = new GrowingBuffer();
      start = end + 1;
    }
    line.append(chunk.subarray(start));
    if (line.length > LARGEST_OBJECT)
      throw new Error(`a line of the answer has more than ${LARGEST_OBJECT} bytes`);
  }
}
