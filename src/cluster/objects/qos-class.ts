import { memoryBytes, milliCpu } from '../../input/quantity.js';
import type { Pod } from '../../kubelet/types.js';

/** ComputePodQOS (pkg/apis/core/v1/helper/qos/qos.go): only CPU and memory count, and only if they are not zero. */
export function qosClass({ spec }: Pod): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const containers = [...spec.initContainers, ...spec.containers];
  const amounts = containers.map(({ resources: { requests, limits } }) => ({
    requests: amountsOf(requests),
    limits: amountsOf(limits),
  }));
  const isSet = amounts.some(({ requests, limits }) => requests.length > 0 || limits.length > 0);
  if (!isSet) return 'BestEffort';
  const isGuaranteed = amounts.every(
    ({ requests, limits }) => limits.length === 2 && `${requests}` === `${limits}`,
  );
  return isGuaranteed ? 'Guaranteed' : 'Burstable';
}

function amountsOf(list: Readonly<Record<string, string>>): string[] {
  const cpu = milliCpu(list.cpu) ?? 0;
  const memory = memoryBytes(list.memory) ?? 0n;
  return [...(cpu > 0 ? [`cpu=${cpu}`] : []), ...(memory > 0n ? [`memory=${memory}`] : [])];
}
