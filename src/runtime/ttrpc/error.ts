import { Code, codeName } from '../../cri/status-code.js';

/**
 * Why a call failed: `status` is the other end's answer; the others are what happened to the call here. `oversized` is a
 * message that is too long to be sent.
 */
export type FailureKind = 'status' | 'closed' | 'timeout' | 'protocol' | 'oversized' | 'cancelled';

/** A call over ttrpc that failed. */
export class TtrpcError extends Error {
  override readonly name = 'TtrpcError';
  readonly kind: FailureKind;
  /** A code of gRPC. */
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

/** What Go programs print: `rpc error: code = NotFound desc = …` is this with the code's name. */
export const statusError = (code: number, message: string): TtrpcError =>
  new TtrpcError('status', code, message || codeName(code));

/** The connection is gone. */
export const closedError = (): TtrpcError => new TtrpcError('closed', Code.UNAVAILABLE, 'ttrpc: closed');

/** The other end has not answered in time. */
export const timeoutError = (): TtrpcError =>
  new TtrpcError('timeout', Code.DEADLINE_EXCEEDED, 'context deadline exceeded');

/** The other end breaks the protocol. */
export const protocolError = (what: string): TtrpcError =>
  new TtrpcError('protocol', Code.INTERNAL, `${what}: protocol error`);
