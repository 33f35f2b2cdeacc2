import { UserError } from '../base/input/user-error.js';
import { InputError } from '../base/input/yaml.js';
import { CriError } from '../cri/errors.js';

/**
 * Whether the message alone is enough for the user: our own errors, and those of the system (Node's SystemError) or a
 * server (a gRPC status). Anything else is a bug whose stack is needed.
 */
export function isExpected(error: unknown): error is Error {
  if (error instanceof InputError || error instanceof CriError || error instanceof UserError) return true;
  return error instanceof Error && ('syscall' in error || ('code' in error && 'details' in error));
}
