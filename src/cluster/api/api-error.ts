/** The API server refused a request. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: number;
  /** v1.Status.reason, such as `AlreadyExists`; empty if the reply is not a v1.Status. */
  readonly reason: string;
  /** In ms, from the header Retry-After. */
  readonly retryAfter: number | undefined;

  constructor(code: number, reason: string, message: string, retryAfter?: number) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.retryAfter = retryAfter;
  }
}

export const isNotFound = (error: unknown): boolean => error instanceof ApiError && error.code === 404;

export const isForbidden = (error: unknown): boolean => error instanceof ApiError && error.code === 403;

/** The requested version is no longer available: list again. */
export const isExpired = (error: unknown): boolean => error instanceof ApiError && error.code === 410;

/** The object has changed in the meantime, or the name exists already. */
export const isConflict = (error: unknown): boolean => error instanceof ApiError && error.code === 409;

/** Whether a later attempt may succeed: the server is unreachable, busy or failing, or temporarily does not know us. */
export function isTemporary(error: unknown): boolean {
  if (!(error instanceof ApiError)) return true;
  return error.code === 401 || error.code === 408 || error.code === 429 || error.code >= 500;
}

export function toApiError(
  code: number,
  body: string,
  retryAfter: string | undefined,
  what: string,
): ApiError {
  const seconds = Number(retryAfter);
  const wait = retryAfter === undefined || Number.isNaN(seconds) ? undefined : seconds * 1000;
  const { reason = '', message = '' } = readStatus(body);
  return new ApiError(code, reason, message || `${what}: HTTP ${code} ${body.trim().slice(0, 200)}`, wait);
}

function readStatus(body: string): { readonly reason?: string; readonly message?: string } {
  try {
    const status: unknown = JSON.parse(body);
    return typeof status === 'object' && status !== null ? status : {};
  } catch {
    return {};
  }
}
