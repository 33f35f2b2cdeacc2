import type { PodSpec, SelectorRequirement } from '../../kubelet/types.js';
import type { ApiPodSpec, ApiSelectorRequirement } from './api-pod.js';

/** What decides which nodes may take a pod. */
export function placementOf(
  spec: ApiPodSpec,
): Pick<PodSpec, 'nodeSelector' | 'nodeAffinity' | 'tolerations'> {
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return {
    nodeSelector: spec.nodeSelector,
    nodeAffinity: required?.nodeSelectorTerms.map(({ matchExpressions, matchFields }) => ({
      expressions: requirementsOf(matchExpressions),
      fields: requirementsOf(matchFields),
    })),
    tolerations: spec.tolerations?.map(({ key = '', operator = 'Equal', value = '', effect = '' }) => ({
      key,
      operator,
      value,
      effect,
    })),
  };
}

const requirementsOf = (given: readonly ApiSelectorRequirement[] = []): SelectorRequirement[] =>
  given.map(({ key, operator, values = [] }) => ({ key, operator, values }));
