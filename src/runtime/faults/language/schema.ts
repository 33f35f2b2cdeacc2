import { z } from 'zod';
import { problemsOf } from './check.js';
import { withNumbers } from './numbers.js';
import { rule } from './rule-schema.js';
import { specOf } from './spec.js';

/** One rule, as users write it; refuses a rule that could never act, with the reason. */
export const faultSchema = rule.transform((shape, context) => {
  // With an unknown key, the rule's meaning is unclear: no further checks.
  if (context.issues.length > 0) return z.NEVER;
  const { spec, problems } = withNumbers(specOf(shape));
  for (const { path, message } of [...problems, ...problemsOf(spec)])
    context.addIssue({ code: 'custom', path: [...path], message, input: shape });
  return spec;
});

/** Rules in force at a time, and in one file; each call is compared with all of them. */
export const MOST_RULES = 1000;
