import type { LinuxContainerResources } from '../../../cri/gen/runtime/v1/api.js';

/** Fields that are 0, empty or missing keep their values (cri-api UpdateContainerResources: only set fields change). */
export function mergeResources(
  current: LinuxContainerResources | undefined,
  change: LinuxContainerResources,
): LinuxContainerResources {
  if (current === undefined) return change;
  const given = Object.entries(change).filter(([, value]) => isGiven(value));
  return { ...current, ...Object.fromEntries(given), unified: { ...current.unified, ...change.unified } };
}

function isGiven(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value !== 0n && value !== 0 && value !== '' && value !== undefined;
}
