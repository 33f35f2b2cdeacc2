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
