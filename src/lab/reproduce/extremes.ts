// These also work for more numbers than a call can have arguments.

/** Infinity without numbers. */
export const least = (numbers: readonly number[]): number =>
  numbers.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY);

/** -Infinity without numbers. */
export const greatest = (numbers: readonly number[]): number =>
  numbers.reduce((one, other) => Math.max(one, other), Number.NEGATIVE_INFINITY);
