import { StatusError } from '../../cri/errors.js';

/** Stands in texts of errors for the id of an object that was not made. `applyProfile` puts a new id in its place. */
export const UNMADE_ID = '\u0000unmade id\u0000';

/** The error with ids: from the source of ids of the runtime, so that equal simulations give equal texts. */
export function withIds(error: unknown, newId: () => string): unknown {
  if (!(error instanceof StatusError && error.message.includes(UNMADE_ID))) return error;
  return new StatusError(error.code, error.message.replaceAll(UNMADE_ID, newId), { cause: error.cause });
}
