import { type ContainerResources, LinuxContainerResources } from '../../../cri/gen/runtime/v1/api.js';

/**
 * Always present, without huge pages (disable_hugetlb_controller); the swap limit is that of memory, unless it is set
 * (measured).
 */
export function shownResources(given: ContainerResources | undefined): ContainerResources {
  const linux = given?.linux ?? LinuxContainerResources.fromPartial({});
  const { memoryLimitInBytes: memory, memorySwapLimitInBytes: swap } = linux;
  return {
    linux: {
      ...linux,
      hugepageLimits: [],
      memorySwapLimitInBytes: swap === 0n ? memory : swap,
    },
    windows: given?.windows,
  };
}
