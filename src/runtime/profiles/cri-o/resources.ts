import { type ContainerResources, LinuxContainerResources } from '../../../cri/gen/runtime/v1/api.js';

/** Always there (internal/oci/container.go, GetResources); swap is limited as memory is, unless it has its own limit. */
export function shownResources(given: ContainerResources | undefined): ContainerResources {
  const linux = given?.linux ?? LinuxContainerResources.fromPartial({});
  const { memoryLimitInBytes: memory, memorySwapLimitInBytes: swap } = linux;
  return { linux: { ...linux, memorySwapLimitInBytes: swap === 0n ? memory : swap }, windows: undefined };
}
