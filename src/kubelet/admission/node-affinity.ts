import type { NodeSelectorTerm, SelectorRequirement } from '../kubernetes/placement.js';
import type { Pod } from '../kubernetes/pod.js';
import type { AdmittingNode } from './admitting-node.js';

/**
 * GetRequiredNodeAffinity (component-helpers scheduling/corev1): the node selector and one of the required terms must
 * match.
 */
export function fitsNode({ spec }: Pod, node: AdmittingNode): boolean {
  const { nodeSelector = {}, affinity } = spec;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (Object.entries(nodeSelector).some(([key, value]) => node.labels[key] !== value)) return false;
  return required === undefined || required.nodeSelectorTerms.some((term) => fitsTerm(term, node));
}

/** A term without requirements matches no node. */
function fitsTerm(
  { matchExpressions, matchFields }: NodeSelectorTerm,
  { name, labels }: AdmittingNode,
): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  const known: Readonly<Record<string, string>> = { 'metadata.name': name };
  return (
    matchExpressions.every((requirement) => meets(requirement, labels[requirement.key])) &&
    matchFields.every((requirement) => meets(requirement, known[requirement.key]))
  );
}

function meets({ operator, values }: SelectorRequirement, found: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return found !== undefined && values.includes(found);
    case 'NotIn':
      return found === undefined || !values.includes(found);
    case 'Exists':
      return found !== undefined;
    case 'DoesNotExist':
      return found === undefined;
    case 'Gt':
      return found !== undefined && Number(found) > Number(values[0]);
    case 'Lt':
      return found !== undefined && Number(found) < Number(values[0]);
  }
}
