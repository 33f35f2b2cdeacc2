import { z } from 'zod';
import { behaviorMatchSchema, behaviorSchema } from '../../../adapters/memory/containers/behavior-schema.js';
import { unknownImagesChoices } from '../../../adapters/memory/guess/facts.js';
import { presentImagesSchema, pullRuleSchema } from '../../../adapters/memory/images/pull-rule-schema.js';

/** Behavior of matching containers instead of their command line; names and images can be globs. */
const behavior = z.strictObject({
  match: behaviorMatchSchema,
  behavior: behaviorSchema,
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
