import { z } from 'zod';
import { packageData } from '../../../../base/input/package-data.js';

const editSchema = z.strictObject({
  file: z.string(),
  find: z.string(),
  put: z.string(),
  count: z.int().optional(),
  since: z.int().optional(),
  until: z.int().optional(),
});
export type Edit = Readonly<z.output<typeof editSchema>>;

const schema = z.record(z.string(), z.array(editSchema)).transform((parts) => Object.values(parts).flat());

export const edits = (): readonly Edit[] =>
  packageData('src/kubelet/hosts/virtual/overlay/edits.yaml', schema);
