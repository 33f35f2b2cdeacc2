import { z } from 'zod';

export const knownEntrySchema = z.strictObject({
  /** As in the explanation of a finding; `*` matches anything. */
  kind: z.string().min(1),
  /** Why it happens, or why it is accepted. */
  why: z.string().min(1),
  /** Report, such as `kubernetes #23636`. */
  issue: z.string().min(1).optional(),
  /** First kubelet version without it. */
  fixed: z
    .string()
    .regex(/^\d+\.\d+$/, 'expected a version such as 1.37')
    .optional(),
});

export type KnownEntry = Readonly<z.infer<typeof knownEntrySchema>>;
