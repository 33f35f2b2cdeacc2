import type { StateCounts } from '../runtime/engine/state/store.js';
import type { ClusterNode } from './node/cluster-node.js';

/** One entry of `GET /v1/nodes`. */
export interface NodeDescription extends StateCounts {
  readonly name: string;
  readonly kubelet: 'running' | 'stopped';
  readonly pods: number;
}

export const describeNode = (node: ClusterNode): NodeDescription => ({
  name: node.name,
  kubelet: node.up ? 'running' : 'stopped',
  pods: node.pods().length,
  ...node.runtime.counts,
});

export interface NodeRow extends Pick<NodeDescription, 'name' | 'pods' | 'containers'> {
  /** What the kubelet reports, or that it does not run. */
  readonly ready: 'Ready' | 'NotReady' | 'Starting' | 'Kubelet stopped';
  readonly restarts: number;
  readonly rules: number;
  readonly applied: number;
}

export function rowOfNode(node: ClusterNode): NodeRow {
  const { name, pods, containers } = describeNode(node);
  const statuses = node.pods().flatMap(({ status }) => status?.containerStatuses ?? []);
  const rules = node.assembly.faults.registry.list();
  const reported = { True: 'Ready', False: 'NotReady' } as const;
  return {
    name,
    pods,
    containers,
    ready: !node.up ? 'Kubelet stopped' : node.ready === undefined ? 'Starting' : reported[node.ready],
    restarts: statuses.reduce((sum, { restartCount }) => sum + restartCount, 0),
    rules: rules.length,
    applied: rules.reduce((sum, rule) => sum + rule.applied, 0),
  };
}
