import { after, before, type Mutant, mutant } from './mutant.js';

export const usageMutants: readonly Mutant[] = [
  mutant(
    'UpdateContainerResources sets what it does not name to its default',
    'INV-23.update-part',
    before('updateContainerResources', ({ linux }) => {
      if (linux && linux.memoryLimitInBytes === 0n) linux.memoryLimitInBytes = 1_073_741_824n;
    }),
  ),
  mutant(
    'ListPodSandboxStats ignores labels',
    'INV-48.pod-filter',
    before('listPodSandboxStats', ({ filter }) => {
      if (filter) filter.labelSelector = {};
    }),
  ),
  mutant(
    'the time of a pod’s memory is in seconds',
    'INV-58.pod-stats',
    after('podSandboxStats', ({ stats }) => {
      if (stats?.linux?.memory) stats.linux.memory.timestamp /= 1_000_000_000n;
    }),
  ),
];
