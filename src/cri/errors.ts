/** What went wrong, in the runtime's own terms. `src/server/status.ts` maps each kind to a gRPC code per profile. */
export type ErrorKind =
  | 'not-found'
  | 'wrong-state'
  | 'conflict'
  | 'invalid'
  | 'unsupported'
  | 'unavailable'
  | 'timeout'
  | 'cancelled'
  | 'exhausted'
  | 'denied'
  | 'internal';

/**
 * An error whose kind and text may be shown to a client. The message says what was given, what is allowed and,
 * where it helps, what to do. Any other error that reaches the server is a defect and is answered as INTERNAL.
 */
export class CriError extends Error {
  override readonly name = 'CriError';
  readonly kind: ErrorKind;

  constructor(kind: ErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** NOT_FOUND: there is no such sandbox, container or image. */
export const notFound = (message: string) => new CriError('not-found', message);
/** FAILED_PRECONDITION: the message names the present state and those that are allowed. */
export const wrongState = (message: string) => new CriError('wrong-state', message);
/** ALREADY_EXISTS: the name is taken. */
export const conflict = (message: string) => new CriError('conflict', message);
/** INVALID_ARGUMENT: the message says what was given and what is allowed. */
export const invalid = (message: string) => new CriError('invalid', message);
/** UNIMPLEMENTED: this runtime does not do that. */
export const unsupported = (message: string) => new CriError('unsupported', message);

/** A gRPC status that is sent as it is: an injected one, or one that another runtime answered. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  /** A gRPC status code (1 to 16). */
  readonly code: number;

  constructor(code: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
