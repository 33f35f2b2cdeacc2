import { InputError } from '../../base/input/yaml.js';
import { CriError, type ErrorKind } from '../../cri/errors.js';

/** An error that is sent to the client unchanged (RFC 9457). */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: number;
  /** Extra response headers, such as `allow`. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, detail: string, headers: Readonly<Record<string, string>> = {}) {
    super(detail);
    this.status = status;
    this.headers = headers;
  }
}

const statuses: Readonly<Partial<Record<ErrorKind, number>>> = {
  'not-found': 404,
  'wrong-state': 409,
  conflict: 409,
  invalid: 400,
  unsupported: 501,
  unavailable: 503,
  timeout: 504,
  exhausted: 429,
  denied: 403,
};

/** Returns the HTTP status for an error of a route; undefined for a defect. */
export function httpStatusOf(error: unknown): number | undefined {
  if (error instanceof Problem) return error.status;
  if (error instanceof InputError) return 400;
  return error instanceof CriError ? statuses[error.kind] : undefined;
}

export const oneNode = (): Problem =>
  new Problem(400, 'node: this server is one runtime; leave it out, or ask a process of mockri node');
