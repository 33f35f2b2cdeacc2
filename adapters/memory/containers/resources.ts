import type { LinuxContainerResources } from '../../../src/cri/gen/runtime/v1/api.js';

/** In bytes; undefined without a limit. */
export function memoryLimitOf(resources: LinuxContainerResources | undefined): number | undefined {
  const limit = Number(resources?.memoryLimitInBytes ?? 0);
  return limit > 0 ? limit : undefined;
}
