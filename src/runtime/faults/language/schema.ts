import { z } from 'zod';
import { problemsOf } from './check.js';
import { rule } from './rule-schema.js';
import { specOf } from './spec.js';

/** One rule, as users write it; one that could never do anything is refused, with the reason. */
export const faultSchema = rule.transform((shape, context) => {
  // What an unknown key was meant to say is not there to be checked.
  if (context.issues.length > 0) return z.NEVER;
  const spec = specOf(shape);
  for (const { path, message } of problemsOf(spec))
    context.addIssue({ code: 'custom', path: [...path], message, input: shape });
  return spec;
});

/** How many rules may be in force at a time, and in one file; each call is compared with all of them. */
export const MOST_RULES = 1000;
