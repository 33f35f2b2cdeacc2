import { InvalidArgumentError } from 'commander';

/** A parser for an option that takes a whole number in a range. */
export const whole = (least: number, most: number) => (text: string) => {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new InvalidArgumentError(`expected a whole number from ${least} to ${most}`);
};
