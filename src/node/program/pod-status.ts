import { z } from 'zod';
import { podStatusSchema } from '../../kubernetes/pod-status.js';

/** The answer of a kubelet's `/pods`, as far as the lines of `kubectl get pod` are made of it. */
export const podListSchema = z.object({
  items: z
    .array(
      z.object({
        metadata: z.object({ name: z.string(), namespace: z.string().default('default') }),
        status: podStatusSchema,
      }),
    )
    .nullish()
    .transform((items) => items ?? []),
});
