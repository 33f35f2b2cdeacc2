import type { KubeletVersion } from '../types/version.js';

/**
 * Features in the node's status (component-helpers nodedeclaredfeatures), of those that exist here: the scheduler and
 * the API server refuse pods that need others.
 */
export function declaredFeatures({ minor, gates }: KubeletVersion): readonly string[] {
  if (minor < 36) return [];
  return [
    'InPlacePodVerticalScalingInitContainers',
    ...(gates.RestartAllContainersOnContainerExits ? ['RestartAllContainersOnContainerExits'] : []),
  ];
}
