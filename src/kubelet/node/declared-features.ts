import type { KubeletVersion } from '../types/version.js';

/**
 * What the kubelet declares in its node's status (component-helpers nodedeclaredfeatures), as far as it is there here: the
 * scheduler and the API server refuse what needs another one.
 */
export function declaredFeatures({ minor, gates }: KubeletVersion): readonly string[] {
  if (minor < 36) return [];
  return [
    'InPlacePodVerticalScalingInitContainers',
    ...(gates.RestartAllContainersOnContainerExits ? ['RestartAllContainersOnContainerExits'] : []),
  ];
}
