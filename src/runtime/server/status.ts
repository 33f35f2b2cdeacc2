import { CriError, type ErrorKind, StatusError } from '../../cri/errors.js';
import { shortened } from '../../cri/shortened.js';
import { type CallStatus, Code, type CodeName } from '../../cri/status-code.js';

/** Maps the engine's error kinds to gRPC codes. A runtime profile has its own table (src/runtime/profiles). */
const codes: Readonly<Record<ErrorKind, CodeName>> = {
  'not-found': 'NOT_FOUND',
  'wrong-state': 'FAILED_PRECONDITION',
  conflict: 'ALREADY_EXISTS',
  invalid: 'INVALID_ARGUMENT',
  unsupported: 'UNIMPLEMENTED',
  unavailable: 'UNAVAILABLE',
  timeout: 'DEADLINE_EXCEEDED',
  cancelled: 'CANCELLED',
  exhausted: 'RESOURCE_EXHAUSTED',
  denied: 'PERMISSION_DENIED',
  internal: 'INTERNAL',
};

/** Longest status text that is sent, in UTF-16 units; it travels in a header, and clients limit those. */
const LONGEST_DETAILS = 4096;

/** Logs a defect; returns its number in the log. */
export type ReportDefect = (error: unknown) => string;

/** The status for a handler's error. A defect's text goes to the log; the client gets INTERNAL and its number. */
export function statusOf(error: unknown, report: ReportDefect): CallStatus {
  if (error instanceof CriError) return status(Code[codes[error.kind]], error.message);
  if (error instanceof StatusError)
    return { ...status(error.code, error.message), unreached: error.unreached };
  return status(Code.INTERNAL, `internal error ${report(error)}; see the server's log`);
}

/** The gRPC code that a client gets for a handler's error. */
export const codeOf = (error: unknown): number => statusOf(error, String).code;

function status(code: number, details: string): CallStatus {
  const short = shortened(details, LONGEST_DETAILS);
  // A lone surrogate can't be percent-encoded, which is how the text travels (gRPC over HTTP/2, Status-Message).
  return { code, details: short.replace(/\p{Surrogate}/gu, '\ufffd') };
}
