import type { IncomingMessage } from 'node:http';
import { Problem } from './problem.js';

/** Bytes of a request body. */
export const LARGEST_BODY = 1024 * 1024;

/**
 * What a body may be: JSON or YAML. `curl -d` says it sends a form, and fetch that it sends text; what is in it decides.
 */
const ALLOWED = [
  'application/json',
  'application/yaml',
  'application/x-yaml',
  'text/yaml',
  'text/plain',
  'application/x-www-form-urlencoded',
] as const;

/** Reads a request's body. Throws Problem 415 for another type than JSON or YAML, 413 beyond LARGEST_BODY. */
export async function readBody(request: IncomingMessage): Promise<string> {
  const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== undefined && !(ALLOWED as readonly string[]).includes(type))
    throw new Problem(
      415,
      `the body is ${type}; expected JSON (application/json) or YAML (application/yaml)`,
    );
  if (Number(request.headers['content-length']) > LARGEST_BODY) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LARGEST_BODY) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

const tooLarge = (): Problem =>
  new Problem(413, `the body may have at most ${LARGEST_BODY} bytes; send less at a time`);
