import type { Pod } from '../types.js';
import { sizesOf } from './sizes.js';

/** ComputePodQOS (pkg/apis/core/v1/helper/qos/qos.go): only CPU and memory count, and only if they are not zero. */
export function qosClass({ spec }: Pod): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const all = [...spec.initContainers, ...spec.containers].map(({ resources }) => sizesOf(resources));
  if (!all.some((sizes) => Object.values(sizes).some((size) => size > 0))) return 'BestEffort';
  const isGuaranteed = all.every(
    ({ cpuRequest, cpuLimit, memoryRequest, memoryLimit }) =>
      cpuLimit > 0 && memoryLimit > 0 && cpuRequest === cpuLimit && memoryRequest === memoryLimit,
  );
  return isGuaranteed ? 'Guaranteed' : 'Burstable';
}
