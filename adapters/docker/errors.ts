import { CriError, type ErrorKind } from '../../src/cri/errors.js';

/** What docker-modem throws for a reply with an error status. */
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

/** The HTTP status that Docker answered with; undefined when there was no answer. */
export const statusOf = (error: unknown): number | undefined => (error as DockerError).statusCode;

/** Whether Docker could not be asked, so that nobody knows what it did. */
export const isConnectionError = (error: unknown): boolean =>
  !(error instanceof CriError) &&
  !isNonsense(error) &&
  statusOf(error) === undefined &&
  (error as Error).name !== 'AbortError';

/** A reply that could not be read as one of Docker's. */
const isNonsense = (error: unknown): boolean =>
  (error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError) &&
  (error as DockerError).code === undefined;

/** Docker's own words. */
export function messageOf(error: unknown): string {
  const { json, message, code } = error as DockerError;
  if (isNonsense(error)) return `it sent what Docker does not send (${message}); is it Docker?`;
  const said = (json as { message?: unknown } | undefined)?.message;
  if (typeof said === 'string') return said;
  // The text of docker-modem when the reply was a stream: its own words around Docker's.
  return message.replace(/^\(HTTP code \d+\) [^-]*- /, '').trim() || code || String(error);
}

/** The client's error for a failed request to Docker; `what` is the start of the sentence. */
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

/** The value, or undefined when Docker has no such object. */
export async function unlessMissing<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}
