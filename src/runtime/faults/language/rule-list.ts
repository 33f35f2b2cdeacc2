import { z } from 'zod';
import { InputError } from '../../../base/input/yaml.js';
import type { FaultInput } from './rule-schema.js';
import { faultSchema } from './schema.js';
import { parseShorthand } from './shorthand.js';
import type { FaultSpec } from './spec.js';
import { readRules, type WrittenRule } from './written-rule.js';

/** An element of a list of rules after parsing by the schema: a rule, or those of a shorthand. */
type ListedRules = FaultSpec | readonly WrittenRule[];

const shorthandRules = z.string().transform((text, context): readonly WrittenRule[] => {
  try {
    return readRules(parseShorthand(text), JSON.stringify(text));
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    // The message quotes the text, so it is not the input here.
    for (const message of error.problems) context.addIssue({ code: 'custom', message, input: {} });
    return z.NEVER;
  }
});

/** A mapping or a shorthand. */
export const listedRuleSchema = z.union([
  faultSchema,
  shorthandRules.describe('In shorthand, as `fault add` takes it: docs/faults.md.'),
]);

/** A list of rules in a file. */
export const ruleListSchema = z.array(listedRuleSchema);

export const isShorthand = (listed: ListedRules): listed is readonly WrittenRule[] => Array.isArray(listed);

/** Pairs the users' elements with those of the schema. Both lists have the same length. */
export const pairRules = (
  written: readonly (FaultInput | string)[],
  listed: readonly ListedRules[],
): WrittenRule[] =>
  listed.flatMap((each, index) => {
    if (isShorthand(each)) return each;
    const own = written[index];
    return own === undefined || typeof own === 'string' ? [] : { written: own, spec: each };
  });
