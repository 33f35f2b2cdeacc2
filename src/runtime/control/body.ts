import type { IncomingMessage } from 'node:http';
import { Account } from '../../base/input/account.js';
import { GrowingBuffer } from '../../base/input/growing-buffer.js';
import { Problem } from './problem.js';

/** Bytes of a request body. */
export const LARGEST_BODY = 1024 * 1024;

/** A body is JSON or YAML, regardless of its declared type: `curl -d` declares a form, and fetch declares text. */
const ALLOWED = [
  'application/json',
  'application/yaml',
  'application/x-yaml',
  'text/yaml',
  'text/plain',
  'application/x-www-form-urlencoded',
] as const;

export class BodyReader {
  readonly #account: Account;

  constructor(account: Account) {
    this.#account = account;
  }

  /** Throws Problem 415 for other types than JSON and YAML, 413 beyond LARGEST_BODY, 503 without memory for it. */
  async read(request: IncomingMessage): Promise<string> {
    checkHead(request);
    const body = new GrowingBuffer();
    const account = new Account(LARGEST_BODY, this.#account);
    try {
      for await (const chunk of request as AsyncIterable<Buffer>) {
        if (account.used + chunk.length > LARGEST_BODY) throw tooLarge();
        if (!account.take(chunk.length)) throw tooBusy();
        body.append(chunk);
      }
      return body.bytes().toString();
    } finally {
      account.close();
    }
  }
}

function checkHead({ headers }: IncomingMessage): void {
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== undefined && !(ALLOWED as readonly string[]).includes(type))
    throw new Problem(
      415,
      `the body is ${type}; expected JSON (application/json) or YAML (application/yaml)`,
    );
  if (Number(headers['content-length']) > LARGEST_BODY) throw tooLarge();
}

const tooLarge = (): Problem =>
  new Problem(413, `the body may have at most ${LARGEST_BODY} bytes; send less at a time`);

const tooBusy = (): Problem =>
  new Problem(503, 'the bodies of other requests take all memory for bodies; try again');
