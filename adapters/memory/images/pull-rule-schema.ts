import { z } from 'zod';
import { durationSchema } from '../../../src/base/input/schemas.js';
import { pullFailures } from '../../../src/cri/errors.js';
import { parseImageReference } from '../../../src/cri/image-reference.js';

const failureKinds = ['not-found', 'denied', 'unavailable', 'internal', 'exhausted', 'timeout'] as const;

export const pullRuleSchema = z.strictObject({
  match: z.string(),
  latency: durationSchema.optional(),
  /** What the registry does, which the runtime reports like the profile's; or a kind of error with a text. */
  fail: z
    .union([z.enum(pullFailures), z.strictObject({ kind: z.enum(failureKinds), message: z.string() })])
    .optional(),
  pinned: z.boolean().optional(),
  auth: z.strictObject({ username: z.string(), password: z.string() }).optional(),
});

export const presentImagesSchema = z.array(
  z
    .string()
    .refine(
      (reference) => parseImageReference(reference) !== undefined,
      'expected [DOMAIN/]PATH[:TAG][@DIGEST]',
    ),
);
