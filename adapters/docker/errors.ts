import { CriError, type ErrorKind } from '../../src/cri/errors.js';

/** docker-modem throws it for a reply with an error status. */
interface DockerError extends Error {
  readonly statusCode?: number;
  readonly json?: unknown;
  readonly code?: string;
}

const kindOfStatus: Readonly<Record<number, ErrorKind>> = {
  400: 'invalid',
  401: 'denied',
  403: 'denied',
  404: 'not-found',
  409: 'wrong-state',
  501: 'unsupported',
};

/** The HTTP status of Docker's reply; undefined without a reply. */
export const statusOf = (error: unknown): number | undefined => (error as DockerError).statusCode;

/** Whether Docker could not be reached, so that the result of the request is unknown. */
export const isConnectionError = (error: unknown): boolean =>
  !(error instanceof CriError) &&
  !isNonsense(error) &&
  statusOf(error) === undefined &&
  (error as Error).name !== 'AbortError';

const isNonsense = (error: unknown): boolean =>
  (error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError) &&
  (error as DockerError).code === undefined;

export function messageOf(error: unknown): string {
  const { json, message, code } = error as DockerError;
  if (isNonsense(error)) return `it sent a reply that Docker does not send (${message}); is it Docker?`;
  const said = (json as { message?: unknown } | undefined)?.message;
  if (typeof said === 'string') return said;
  // For a stream, docker-modem wraps Docker's text in its own.
  return message.replace(/^\(HTTP code \d+\) [^-]*- /, '').trim() || code || String(error);
}

/** Converts a failed request to Docker; `what` is the start of the sentence. */
export function toCriError(error: unknown, what: string): CriError {
  if (error instanceof CriError) return error;
  const message = messageOf(error);
  const status = statusOf(error);
  if ((error as Error).name === 'AbortError')
    return new CriError('cancelled', `${what} was cancelled by the client`, { cause: error });
  if (isNonsense(error)) return new CriError('internal', `${what} failed: ${message}`, { cause: error });
  if (status === undefined)
    return new CriError('unavailable', `${what} failed, because Docker is away: ${message}`, {
      cause: error,
    });
  const kind = /no space left on device/i.test(message) ? 'exhausted' : (kindOfStatus[status] ?? 'internal');
  return new CriError(kind, `${what} failed: ${message}`, { cause: error });
}

export async function unlessMissing<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}
