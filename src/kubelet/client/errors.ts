import { messageOf } from '../../base/input/error-text.js';
import { Code, codeName } from '../../cri/status-code.js';

const codeOf = (error: unknown): number | undefined => {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'number' ? code : undefined;
};

/** Most callers treat this as success. */
export const isNotFound = (error: unknown): boolean => codeOf(error) === Code.NOT_FOUND;
/** The runtime returned no specific code. */
export const isUnknown = (error: unknown): boolean => codeOf(error) === Code.UNKNOWN;
export const isUnimplemented = (error: unknown): boolean => codeOf(error) === Code.UNIMPLEMENTED;
/** In the client or in the runtime. */
export const isDeadlineExceeded = (error: unknown): boolean => codeOf(error) === Code.DEADLINE_EXCEEDED;

/** Without the code. */
export function detailsOf(error: unknown): string {
  const details = (error as { details?: unknown } | null)?.details;
  if (typeof details === 'string') return details;
  return messageOf(error);
}

/** Formats an error as Go does: `rpc error: code = NotFound desc = …` for a gRPC status. */
export function errorText(error: unknown): string {
  const code = codeOf(error);
  if (code === undefined) return messageOf(error);
  return `rpc error: code = ${goName(code)} desc = ${detailsOf(error)}`;
}

/** Name in Go's grpc/codes: NOT_FOUND is NotFound. */
function goName(code: number): string {
  if (code === Code.OK) return 'OK';
  if (code === Code.CANCELLED) return 'Canceled';
  if (Code[code] === undefined) return `Code(${code})`;
  return codeName(code)
    .toLowerCase()
    .replace(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase());
}
