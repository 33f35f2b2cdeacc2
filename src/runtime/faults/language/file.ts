import { z } from 'zod';
import { type OpenYaml, openYaml } from '../../../base/input/yaml.js';
import { isShorthand, pairRules, ruleListSchema } from './rule-list.js';
import { MOST_RULES } from './schema.js';
import type { WrittenRule } from './written-rule.js';

export const faultFileSchema = z.strictObject({
  version: z.literal(1),
  seed: z
    .int()
    .min(0)
    .max(0xffff_ffff)
    .optional()
    .describe("Of all rules' random numbers; each rule has its own stream."),
  faults: ruleListSchema
    .max(MOST_RULES)
    .default([])
    .superRefine((faults, context) => {
      const names = new Set<string>();
      for (const [index, listed] of faults.entries()) {
        if (isShorthand(listed)) continue;
        const { name } = listed;
        if (name !== undefined && names.has(name))
          context.addIssue({
            code: 'custom',
            path: [index, 'name'],
            message: `another rule of this file is called ${JSON.stringify(name)} too`,
          });
        if (name !== undefined) names.add(name);
      }
    }),
});

export interface FaultFile {
  readonly seed: number | undefined;
  readonly faults: readonly WrittenRule[];
}

/** Reads a file of rules (YAML or JSON). Throws InputError with file, line and column of each mistake. */
export const parseFaultFile = (text: string, file: string): FaultFile => readFaultFile(openYaml(text, file));

/** Reads a parsed file of rules. Throws as `parseFaultFile`. */
export function readFaultFile(file: OpenYaml): FaultFile {
  const { value, written } = file.read(faultFileSchema);
  return { seed: value.seed, faults: pairRules(written.faults ?? [], value.faults) };
}
