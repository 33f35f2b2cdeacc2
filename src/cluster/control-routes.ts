import type { Clock } from '../clock/clock.js';
import { faultRoutes } from '../control/faults.js';
import { Problem } from '../control/problem.js';
import type { Route } from '../control/router.js';
import { clockRoutes, healthRoute } from '../control/runtime-routes.js';
import { compilePattern } from '../faults/matching/pattern.js';
import type { FaultRules } from '../faults/matching/registry.js';
import { nodesSchema } from './control-operations.js';
import { happen, readyMadeSchema } from './faults/ready-made.js';
import type { ClusterNode } from './node/cluster-node.js';

/** What the control API of nodes shows and rules. */
export interface NodesControlled {
  readonly nodes: ReadonlyMap<string, ClusterNode>;
  readonly faults: FaultRules;
  readonly clock: Clock;
  /** Called with what failed. */
  readonly log: (message: string) => void;
}

/** The control API of `mockri node`: rules for all nodes, faults of whole nodes, and the state of each. */
export function nodeControlRoutes(controlled: NodesControlled): Route[] {
  const { nodes, faults, clock, log } = controlled;
  const chosen = (pattern: string): readonly ClusterNode[] => {
    const fits = compilePattern(pattern);
    const found = [...nodes.values()].filter(({ name }) => fits(name));
    if (found.length > 0) return found;
    const [first = 'mock-0'] = nodes.keys();
    throw new Problem(404, `no node of this process fits ${JSON.stringify(pattern)}; one is called ${first}`);
  };
  return [
    healthRoute(),
    ...faultRoutes(faults),
    ...clockRoutes(clock),
    {
      method: 'GET',
      path: '/v1/nodes',
      handle: ({ query }) => {
        const { node = '*' } = query(nodesSchema);
        return { json: { nodes: chosen(node).map(describe) } };
      },
    },
    {
      method: 'POST',
      path: '/v1/node-faults',
      handle: async ({ body }) => {
        const { kind, node, for: duration } = await body(readyMadeSchema);
        const affected = chosen(node);
        for (const each of affected) happen(kind, each, duration, { clock, log });
        return { status: 202, json: { kind, nodes: affected.map(({ name }) => name) } };
      },
    },
    {
      method: 'GET',
      path: '/v1/nodes/:name/state',
      handle: ({ params }) => ({ json: chosen(params.name ?? '')[0]?.runtime.snapshot() }),
    },
  ];
}

const describe = (node: ClusterNode) => ({
  name: node.name,
  kubelet: node.up ? 'running' : 'stopped',
  pods: node.pods().length,
  ...node.runtime.counts,
});
