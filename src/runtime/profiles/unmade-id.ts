import { StatusError } from '../../cri/errors.js';

/** Placeholder in errors for the id of an object that was never created; `applyProfile` replaces it. */
export const UNMADE_ID = '\u0000unmade id\u0000';

/** Inserts ids from the runtime's source of ids, so that equal simulations give equal error messages. */
export function withIds(error: unknown, newId: () => string): unknown {
  if (!(error instanceof StatusError && error.message.includes(UNMADE_ID))) return error;
  return new StatusError(error.code, error.message.replaceAll(UNMADE_ID, newId), { cause: error.cause });
}
