import { Code, codeName } from '../../cri/status-code.js';

/** `status`: the other end's error; all others happened at this end. `oversized`: too long to be sent. */
export type FailureKind = 'status' | 'closed' | 'timeout' | 'protocol' | 'oversized' | 'cancelled';

export class TtrpcError extends Error {
  override readonly name = 'TtrpcError';
  readonly kind: FailureKind;
  /** A gRPC code. */
  readonly code: number;
  /** Bytes of a message that was too long. */
  readonly length: number;

  constructor(kind: FailureKind, code: number, message: string, length = 0) {
    super(message);
    this.kind = kind;
    this.code = code;
    this.length = length;
  }
}

/** Go programs print it as `rpc error: code = NotFound desc = …`, with the code's name. */
export const statusError = (code: number, message: string): TtrpcError =>
  new TtrpcError('status', code, message || codeName(code));

export const closedError = (): TtrpcError => new TtrpcError('closed', Code.UNAVAILABLE, 'ttrpc: closed');

export const timeoutError = (): TtrpcError =>
  new TtrpcError('timeout', Code.DEADLINE_EXCEEDED, 'context deadline exceeded');

export const protocolError = (what: string): TtrpcError =>
  new TtrpcError('protocol', Code.INTERNAL, `${what}: protocol error`);
