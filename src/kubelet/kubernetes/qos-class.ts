import { memoryBytes, milliCpu } from '../../base/input/quantity.js';
import type { Pod } from './pod.js';
import type { Resources } from './resources.js';

/** ComputePodQOS (pkg/apis/core/v1/helper/qos/qos.go): only CPU and memory count, and only if not zero. */
export function qosClass({ spec }: Pick<Pod, 'spec'>): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const ofPod = spec.resources && pairsOf(spec.resources);
  const all = ofPod?.some(isSet)
    ? ofPod
    : [...spec.initContainers, ...spec.containers].flatMap(({ resources }) => pairsOf(resources));
  if (!all.some(isSet)) return 'BestEffort';
  const isGuaranteed = all.every(({ request, limit }) => limit > 0 && request === limit);
  return isGuaranteed ? 'Guaranteed' : 'Burstable';
}

const pairsOf = ({ requests, limits }: Resources) => [
  { request: milliCpu(requests.cpu) ?? 0, limit: milliCpu(limits.cpu) ?? 0 },
  { request: Number(memoryBytes(requests.memory) ?? 0n), limit: Number(memoryBytes(limits.memory) ?? 0n) },
];

const isSet = ({ request, limit }: { readonly request: number; readonly limit: number }): boolean =>
  request > 0 || limit > 0;
