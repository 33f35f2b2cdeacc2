import { z } from 'zod';
import type { Clock } from '../base/clock/clock.js';
import type { Recorded, TapeRecorder } from '../runtime/assembly/tape-recorder.js';
import { EventFeed } from '../runtime/control/event-feed.js';
import { eventsSchema, limitEventReaders, openEvents } from '../runtime/control/events.js';
import { faultRoutes } from '../runtime/control/faults.js';
import { liveTapeRoute } from '../runtime/control/live/live-tape.js';
import { type NodePage, pageRoute } from '../runtime/control/page.js';
import { Problem } from '../runtime/control/problem.js';
import type { Route } from '../runtime/control/router.js';
import { clockRoutes, healthRoute } from '../runtime/control/runtime-routes.js';
import { tapeRoutes } from '../runtime/control/tape.js';
import { compilePattern } from '../runtime/faults/language/pattern.js';
import type { FaultRules } from '../runtime/faults/matching/registry.js';
import { behaviorRoutes } from './behaviors/routes.js';
import type { BehaviorRules } from './behaviors/rules.js';
import { describeNode, rowOfNode } from './describe-node.js';
import { happen, presetFaultSchema, recover } from './faults/preset-faults.js';
import { historyRoute } from './history.js';
import type { ClusterNode } from './node/cluster-node.js';
import { nodeCallRoutes, nodeEvents } from './node-events.js';
import { nodeListPage } from './node-list-page.js';

export const nodesSchema = z.strictObject({
  node: z.string().optional().describe('name of a node, or a pattern such as mock-1*'),
});

export interface NodesControlled {
  readonly nodes: ReadonlyMap<string, ClusterNode>;
  readonly faults: FaultRules;
  readonly behaviors: BehaviorRules;
  readonly clock: Clock;
  readonly recorder: TapeRecorder;
  readonly partOf: (nodes: readonly ClusterNode[]) => Recorded;
  readonly log: (message: string) => void;
}

/** The control API of `mockri node`: rules for all nodes, node-level faults, and the state of each node. */
export function nodeControlRoutes(controlled: NodesControlled): Route[] {
  const { nodes, faults, behaviors, clock, log, recorder, partOf } = controlled;
  const chosen = (pattern: string): readonly ClusterNode[] => {
    const fits = compilePattern(pattern);
    const found = [...nodes.values()].filter(({ name }) => fits(name));
    if (found.length > 0) return found;
    const [first = 'mock-0'] = nodes.keys();
    throw new Problem(404, `no node of this process fits ${JSON.stringify(pattern)}; one is called ${first}`);
  };
  const part = (node: string) => partOf(chosen(node));
  const admitReader = limitEventReaders();
  return [
    healthRoute(),
    ...faultRoutes(faults),
    ...behaviorRoutes(behaviors),
    historyRoute(nodes),
    ...nodeCallRoutes(nodes, clock),
    ...clockRoutes(clock),
    ...tapeRoutes(recorder, part),
    liveTapeRoute({ recorder, partOf: part }),
    pageRoute((asked = '*') => pageOf(chosen(asked))),
    {
      method: 'GET',
      path: '/v1/events',
      handle: ({ query, signal }) => {
        const { node = '*' } = query(eventsSchema);
        const feed = new EventFeed(nodeEvents(chosen(node)));
        return { events: openEvents(feed, signal, admitReader()) };
      },
    },
    {
      method: 'GET',
      path: '/v1/nodes',
      handle: ({ query }) => {
        const { node = '*' } = query(nodesSchema);
        return { json: { nodes: chosen(node).map(describeNode) } };
      },
    },
    {
      method: 'POST',
      path: '/v1/node-faults',
      handle: async ({ body }) => {
        const { kind, node, for: duration } = await body(presetFaultSchema);
        const affected = chosen(node);
        for (const each of affected) happen(kind, each, duration, { clock, log });
        return { status: 202, json: { kind, nodes: affected.map(({ name }) => name) } };
      },
    },
    {
      method: 'DELETE',
      path: '/v1/node-faults/:node',
      handle: ({ params }) => {
        const affected = chosen(params.node ?? '');
        for (const each of affected) recover(each, { clock, log });
        return { status: 202, json: { nodes: affected.map(({ name }) => name) } };
      },
    },
    {
      method: 'GET',
      path: '/v1/nodes/:name/state',
      handle: ({ params }) => ({ json: chosen(params.name ?? '')[0]?.runtime.snapshot() }),
    },
  ];
}

/** The timeline has one lane for the node, so it shows one node only. */
function pageOf(nodes: readonly ClusterNode[]): NodePage {
  const [first, second] = nodes;
  return first !== undefined && second === undefined
    ? { node: first.name }
    : { list: nodeListPage(nodes.map(rowOfNode)) };
}
