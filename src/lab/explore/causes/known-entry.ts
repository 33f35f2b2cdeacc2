import { z } from 'zod';

/** An entry of a file of known findings. */
export const knownEntrySchema = z.strictObject({
  /** As the explanation of a finding has it; `*` matches anything. */
  kind: z.string().min(1),
  /** Why it is so, or why it is accepted. */
  why: z.string().min(1),
  /** Where it was reported, such as `kubernetes #23636`. */
  issue: z.string().min(1).optional(),
  /** The first version of the kubelet without it. */
  fixed: z
    .string()
    .regex(/^\d+\.\d+$/, 'expected a version such as 1.37')
    .optional(),
});

/** A kind of finding that is known. */
export type KnownEntry = Readonly<z.infer<typeof knownEntrySchema>>;
