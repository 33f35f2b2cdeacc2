import { z } from 'zod';
import { nodesSchema } from '../../../src/cluster/control-routes.js';
import { presetFaultSchema, presetFaults } from '../../../src/cluster/faults/preset-faults.js';
import type { Operation } from './operations.js';
import { stateShape } from './shapes.js';

const nodeShape = z.strictObject({
  name: z.string(),
  kubelet: z.enum(['running', 'stopped']),
  pods: z.int().min(0).describe('pods that the kubelet runs; 0 while it is stopped'),
  sandboxes: stateShape.shape.counts.shape.sandboxes,
  containers: stateShape.shape.counts.shape.containers,
});

export const nodeOperations: Readonly<Record<string, Operation>> = {
  'GET /v1/nodes': {
    id: 'listNodes',
    summary: 'The nodes of a process of `mockri node`.',
    query: nodesSchema,
    reply: { json: z.strictObject({ nodes: z.array(nodeShape) }) },
    errors: [400, 404],
  },
  'POST /v1/node-faults': {
    id: 'addNodeFault',
    summary: 'Lets something happen to whole nodes of `mockri node`.',
    body: presetFaultSchema,
    reply: { status: 202, json: z.strictObject({ kind: z.enum(presetFaults), nodes: z.array(z.string()) }) },
    errors: [400, 404, 413, 415],
  },
  'GET /v1/nodes/:name/state': {
    id: 'getNodeState',
    summary: 'Sandboxes and containers as the runtime of one node of `mockri node` knows them.',
    reply: { json: stateShape },
    errors: [404],
  },
};
