import { z } from 'zod';
import { parseBehavior } from '../../../src/linux/behavior/parse-behavior.js';

/** The text of a behavior, as in the annotation. */
export const behaviorSchema = z.string().transform((text, context) => {
  try {
    return parseBehavior(text, 'behavior');
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message });
    return z.NEVER;
  }
});
