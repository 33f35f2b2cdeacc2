import { z } from 'zod';
import { parseBehavior } from '../../../src/linux/behavior/parse-behavior.js';

/** The containers that a behavior is for; names and images can be globs. */
export const behaviorMatchSchema = z.strictObject({
  image: z.string().optional(),
  name: z.string().optional(),
  labels: z.record(z.string(), z.string()).optional(),
});

/** The text of a behavior, as in the annotation. */
export const behaviorSchema = z.string().transform((text, context) => {
  try {
    return parseBehavior(text, 'behavior');
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message });
    return z.NEVER;
  }
});
