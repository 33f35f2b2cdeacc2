import type { LinuxContainerResources } from '../../../cri/gen/runtime/v1/api.js';
import type { Container } from '../gen/nri/v1alpha1/api.js';
import type { NriRules } from '../rules.js';
import { changeResources } from './adjust-container.js';
import { fromCri } from './resources.js';

export const withLimits = (
  container: Container,
  limits: LinuxContainerResources,
  rules: Pick<NriRules, 'hugePages'>,
): Container => ({
  ...container,
  ...(container.linux && {
    linux: {
      ...container.linux,
      resources: changeResources(container.linux.resources, inUpdate(limits), rules),
    },
  }),
});

/** Limits that are 0 or empty stay unchanged. */
function inUpdate(limits: LinuxContainerResources) {
  const resources = fromCri(limits);
  const { cpu } = resources ?? {};
  if (cpu !== undefined)
    for (const key of ['shares', 'quota', 'period'] as const) if (cpu[key]?.value === 0n) delete cpu[key];
  return resources;
}
