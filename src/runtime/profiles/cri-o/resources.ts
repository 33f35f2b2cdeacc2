import { type ContainerResources, LinuxContainerResources } from '../../../cri/gen/runtime/v1/api.js';

/** Always present (internal/oci/container.go, GetResources); the swap limit is that of memory, unless it is set. */
export function shownResources(given: ContainerResources | undefined): ContainerResources {
  const linux = given?.linux ?? LinuxContainerResources.fromPartial({});
  const { memoryLimitInBytes: memory, memorySwapLimitInBytes: swap } = linux;
  return { linux: { ...linux, memorySwapLimitInBytes: swap === 0n ? memory : swap }, windows: undefined };
}
