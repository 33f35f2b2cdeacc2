import type { StateCounts } from '../engine/state/store.js';
import type { ClusterNode } from './node/cluster-node.js';

/** A node in one line, as `GET /v1/nodes` and the page show it. */
export interface NodeDescription extends StateCounts {
  readonly name: string;
  readonly kubelet: 'running' | 'stopped';
  /** Pods that the kubelet runs. */
  readonly pods: number;
}

/** Reads it now. */
export const describeNode = (node: ClusterNode): NodeDescription => ({
  name: node.name,
  kubelet: node.up ? 'running' : 'stopped',
  pods: node.pods().length,
  ...node.runtime.counts,
});
