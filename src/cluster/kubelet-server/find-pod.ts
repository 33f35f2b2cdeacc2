import type { NodePod } from '../../kubelet/hosts/kubelet.js';
import { containerOf } from '../../kubelet/index.js';
import { Problem } from '../../runtime/control/problem.js';
import type { ClusterNode } from '../node/cluster-node.js';
import type { PodPath } from './route.js';

export interface FoundPod {
  readonly node: ClusterNode;
  readonly pod: NodePod;
}

/** Undefined if none of the nodes has a pod of this name. A port can serve many nodes: names are unique. */
export function findPod(nodes: Iterable<ClusterNode>, path: PodPath): FoundPod | undefined {
  for (const node of nodes) {
    const pod = node
      .pods()
      .find(({ pod: { metadata } }) => metadata.name === path.name && metadata.namespace === path.namespace);
    if (pod !== undefined) return { node, pod };
  }
  return undefined;
}

export const hasContainer = ({ pod }: NodePod, name: string): boolean => containerOf(pod, name) !== undefined;

/** The pod of an exec, attach or port-forward; a uid in the path must match. Throws 404. */
export function requirePod(nodes: Iterable<ClusterNode>, path: PodPath): FoundPod {
  const found = findPod(nodes, path);
  if (found === undefined) throw new Problem(404, 'pod does not exist');
  if (path.uid !== undefined && path.uid !== found.pod.pod.metadata.uid)
    throw new Problem(404, 'pod not found');
  return found;
}
