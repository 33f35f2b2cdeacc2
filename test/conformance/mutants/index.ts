import { cancelledMutants } from './cancelled.js';
import { checkpointMutants } from './checkpoints.js';
import { dataMutants } from './data.js';
import { eventMutants } from './events.js';
import { halfMutants } from './halves.js';
import { idempotenceMutants } from './idempotence.js';
import { imageMutants } from './images.js';
import { infoMutants } from './info.js';
import { ioMutants } from './io.js';
import { isolationMutants } from './isolation.js';
import { lifecycleMutants } from './lifecycle.js';
import { listMutants } from './lists.js';
import { metricMutants } from './metrics.js';
import type { Mutant } from './mutant.js';
import { nameMutants } from './names.js';
import { streamMutants } from './streams.js';
import { upstreamMutants } from './upstream.js';
import { usageMutants } from './usage.js';

export const mutants: readonly Mutant[] = [
  ...lifecycleMutants,
  ...idempotenceMutants,
  ...nameMutants,
  ...cancelledMutants,
  ...listMutants,
  ...dataMutants,
  ...metricMutants,
  ...checkpointMutants,
  ...eventMutants,
  ...imageMutants,
  ...ioMutants,
  ...infoMutants,
  ...upstreamMutants,
  ...streamMutants,
  ...isolationMutants,
  ...usageMutants,
  ...halfMutants,
];
