import { CriError } from '../../cri/errors.js';

/** The id of the object that holds the name in an error of the engine; undefined for any other error. */
export const holderOf = (error: unknown): string | undefined =>
  error instanceof CriError && error.problem?.name === 'name-taken' ? error.problem.holder : undefined;
