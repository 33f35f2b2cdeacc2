import { z } from 'zod';
import { DURATION_FORM, parseDuration } from './duration.js';

/** A Go style duration of zero or more; yields milliseconds. */
export const durationSchema = z.string({ error: `expected ${DURATION_FORM}` }).transform((text, context) => {
  const milliseconds = parseDuration(text);
  if (milliseconds !== undefined && milliseconds >= 0) return milliseconds;
  context.addIssue({ code: 'custom', message: `expected ${DURATION_FORM}`, input: text });
  return z.NEVER;
});
