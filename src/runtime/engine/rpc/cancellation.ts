import { CriError } from '../../../cri/errors.js';
import type { Call, CriService } from '../../../cri/service.js';

/**
 * A cancelled backend rejects with the signal's reason; this returns `cancelled` to the client instead. Synchronous
 * replies stay unchanged.
 */
export function withCancellation(service: CriService): CriService {
  const guarded = Object.entries(service).map(([name, serve]) => [name, guard(name, serve as Serve)]);
  return Object.fromEntries(guarded) as CriService;
}

type Serve = (request: unknown, call: Call) => unknown;

function guard(name: string, serve: Serve): Serve {
  return (request, call) => {
    const reply = serve(request, call);
    return reply instanceof Promise ? reply.catch((error) => rethrow(name, error, call)) : reply;
  };
}

function rethrow(name: string, error: unknown, { signal }: Call): never {
  if (error instanceof CriError || !signal.aborted) throw error;
  throw new CriError('cancelled', `${name} was cancelled by the client`, { cause: error });
}
