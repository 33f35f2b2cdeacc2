const CODE_NAMES = [
  'OK',
  'Canceled',
  'Unknown',
  'InvalidArgument',
  'DeadlineExceeded',
  'NotFound',
  'AlreadyExists',
  'PermissionDenied',
  'ResourceExhausted',
  'FailedPrecondition',
  'Aborted',
  'OutOfRange',
  'Unimplemented',
  'Internal',
  'Unavailable',
  'DataLoss',
  'Unauthenticated',
];

const UNKNOWN = 2;
const DEADLINE_EXCEEDED = 4;
const NOT_FOUND = 5;
const UNIMPLEMENTED = 12;

const codeOf = (error: unknown): number | undefined => {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'number' ? code : undefined;
};

/** The object no longer exists; most callers treat this as success. */
export const isNotFound = (error: unknown): boolean => codeOf(error) === NOT_FOUND;
/** The runtime returned no specific code. */
export const isUnknown = (error: unknown): boolean => codeOf(error) === UNKNOWN;
/** The runtime does not implement the call. */
export const isUnimplemented = (error: unknown): boolean => codeOf(error) === UNIMPLEMENTED;
/** The deadline of the call passed, in the client or in the runtime. */
export const isDeadlineExceeded = (error: unknown): boolean => codeOf(error) === DEADLINE_EXCEEDED;

const UNAVAILABLE = 14;

/** Whether the call did not reach a server, by the error texts of Go's gRPC. */
export const isUnreachable = (error: unknown): boolean =>
  codeOf(error) === UNAVAILABLE && detailsOf(error).startsWith('connection error:');

/** The description of a gRPC failure, without the code. */
export function detailsOf(error: unknown): string {
  const details = (error as { details?: unknown } | null)?.details;
  if (typeof details === 'string') return details;
  return error instanceof Error ? error.message : String(error);
}

/** An error's text as Go prints it: `rpc error: code = NotFound desc = …` for a gRPC status. */
export function errorText(error: unknown): string {
  const code = codeOf(error);
  if (code === undefined) return error instanceof Error ? error.message : String(error);
  return `rpc error: code = ${CODE_NAMES[code] ?? `Code(${code})`} desc = ${detailsOf(error)}`;
}
