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

let known: readonly Edit[] | undefined;

export function edits(): readonly Edit[] {
  known ??= Object.values(
    packageData('src/kubelet/hosts/virtual/overlay/edits.yaml', z.record(z.string(), z.array(editSchema))),
  ).flat();
  return known;
}
