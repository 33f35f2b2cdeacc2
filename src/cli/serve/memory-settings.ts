import { z } from 'zod';
import { parseBehavior } from '../../../adapters/memory/behavior/parse-behavior.js';
import { durationSchema } from '../../input/schemas.js';

/** Behavior of containers whose fields match, instead of their command line; names and images can be globs. */
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

const failureKinds = ['not-found', 'denied', 'unavailable', 'internal', 'exhausted', 'timeout'] as const;

/** Result of pulls of images whose normalized reference matches the glob. */
const image = z.strictObject({
  match: z.string(),
  latency: durationSchema.optional(),
  fail: z.strictObject({ kind: z.enum(failureKinds), message: z.string() }).optional(),
  auth: z.strictObject({ username: z.string(), password: z.string() }).optional(),
});

/** Settings of the memory backend that only the file can have. */
export const memoryFileShape = {
  behaviors: z
    .array(behavior)
    .default([])
    .describe('behaviors of containers, instead of their command lines'),
  images: z.array(image).default([]).describe('results of image pulls'),
} as const;
