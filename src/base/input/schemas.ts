import { z } from 'zod';
import { DURATION_FORM, parseDuration } from './duration.js';

/** A Go-style duration of zero or more, in ms. */
export const durationSchema = durationFrom(0);

export const positiveDurationSchema = durationSchema.refine((given) => given > 0, 'expected more than 0s');

export const signedDurationSchema = durationFrom(Number.NEGATIVE_INFINITY);

function durationFrom(least: number) {
  return z
    .string({ error: `expected ${DURATION_FORM}` })
    .describe(DURATION_FORM)
    .transform((text, context) => {
      const milliseconds = parseDuration(text);
      if (milliseconds !== undefined && milliseconds >= least) return milliseconds;
      const message =
        milliseconds === undefined ? `expected ${DURATION_FORM}` : 'expected a duration that is not negative';
      context.addIssue({ code: 'custom', message, input: text });
      return z.NEVER;
    });
}

export function wholeNumberSchema(least: number, most = Number.MAX_SAFE_INTEGER) {
  const error =
    most === Number.MAX_SAFE_INTEGER
      ? `expected a whole number from ${least}`
      : `expected a whole number from ${least} to ${most}`;
  return z.preprocess(
    (value) => (typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value),
    z.int({ error }).min(least, { error }).max(most, { error }),
  );
}
