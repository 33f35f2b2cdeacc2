import { z } from 'zod';
import { unknownImagesChoices } from '../../../adapters/memory/guess/facts.js';
import { presentImagesSchema, pullRuleSchema } from '../../../adapters/memory/images/pull-rule-schema.js';
import { parseBehavior } from '../../linux/behavior/parse-behavior.js';

/** Behavior of matching containers instead of their command line; names and images can be globs. */
const behavior = z.strictObject({
  match: z.strictObject({
    image: z.string().optional(),
    name: z.string().optional(),
    labels: z.record(z.string(), z.string()).optional(),
  }),
  behavior: z.string().transform((text, context) => {
    try {
      return parseBehavior(text, 'behavior');
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message });
      return z.NEVER;
    }
  }),
});

export const unknownImagesSchema = z
  .enum(unknownImagesChoices)
  .default('run')
  .describe(
    'containers with an unknown image and a command that is not simulated: run as a healthy server, or fail because their program is missing',
  );

export const memoryFileShape = {
  behaviors: z
    .array(behavior)
    .default([])
    .describe('behaviors of containers, instead of their command lines'),
  images: z.array(pullRuleSchema).default([]).describe('results of image pulls'),
  'present-images': presentImagesSchema
    .default([])
    .describe('images that are present from the beginning and need no pull'),
} as const;
