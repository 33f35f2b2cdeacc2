// Of more numbers than a call may have arguments, too.

/** The least of some numbers; Infinity for none. */
export const least = (numbers: readonly number[]): number =>
  numbers.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY);

/** The greatest of some numbers; -Infinity for none. */
export const greatest = (numbers: readonly number[]): number =>
  numbers.reduce((one, other) => Math.max(one, other), Number.NEGATIVE_INFINITY);
