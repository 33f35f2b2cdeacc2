import { z } from 'zod';
import { packageData } from '../../base/input/package-data.js';

const changeSchema = z.union([
  z.string().transform((what) => ({ what, shows: undefined })),
  /** `shows` is a regular expression for the text of a difference that the change explains. */
  z.strictObject({ what: z.string(), shows: z.string().optional() }),
]);

const schema = z.record(z.string(), z.array(changeSchema));

/** What changed in each kubelet version; docs/kubelet.md has the same as a table. */
export const kubeletChanges = () => packageData('src/kubelet/config/changes.json', schema);
