import { z } from 'zod';
import { InputError } from '../../../base/input/yaml.js';
import type { FaultInput } from './rule-schema.js';
import { faultSchema } from './schema.js';
import { parseShorthand } from './shorthand.js';
import type { FaultSpec } from './spec.js';
import { readRules, type WrittenRule } from './written-rule.js';

/** What the schema makes of an element of a list of rules: a rule, or those of a shorthand. */
type ListedRules = FaultSpec | readonly WrittenRule[];

/** A rule in shorthand: as many rules as it has terms that act. */
const shorthandRules = z.string().transform((text, context): readonly WrittenRule[] => {
  try {
    return readRules(parseShorthand(text), JSON.stringify(text));
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    // The message quotes the text, which is why it is not the input here.
    for (const message of error.problems) context.addIssue({ code: 'custom', message, input: {} });
    return z.NEVER;
  }
});

/** A list of rules in a file: each is a mapping or a shorthand. */
export const ruleListSchema = z.array(
  z.union([faultSchema, shorthandRules.describe('In shorthand, as `fault add` takes it: docs/faults.md.')]),
);

/** Whether an element of a list was written as a shorthand. */
export const isShorthand = (listed: ListedRules): listed is readonly WrittenRule[] => Array.isArray(listed);

/** Pairs what users wrote with what the schema made of it. Both have the same length. */
export const pairRules = (
  written: readonly (FaultInput | string)[],
  listed: readonly ListedRules[],
): WrittenRule[] =>
  listed.flatMap((each, index) => {
    if (isShorthand(each)) return each;
    const own = written[index];
    return own === undefined || typeof own === 'string' ? [] : { written: own, spec: each };
  });
