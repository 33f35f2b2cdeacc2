import { z } from 'zod';
import { packageData } from '../../base/input/package-data.js';

const schema = z.record(z.string(), z.array(z.string()));

/** What changed in each kubelet version; docs/kubelet.md has the same as a table. */
export const kubeletChanges = () => packageData('src/kubelet/config/changes.json', schema);
