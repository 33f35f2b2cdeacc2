import { z } from 'zod';
import { behaviorRuleSchema } from '../../../src/cluster/behaviors/rule-schema.js';
import { nodesSchema } from '../../../src/cluster/control-routes.js';
import { presetFaultSchema, presetFaults } from '../../../src/cluster/faults/preset-faults.js';
import { historyKinds, historySchema, historySteps } from '../../../src/cluster/history.js';
import type { Operation } from './operations.js';
import { nanoseconds, stateShape } from './shapes.js';

const behaviorShape = z
  .looseObject({
    name: z.string(),
    applied: z.int().min(0).describe('runs of containers, probes, hooks and pulls that it has decided'),
  })
  .describe('the rule as written');
const behaviorsShape = z.strictObject({ behaviors: z.array(behaviorShape) });

const entryShape = z.strictObject({
  sequence: z.int().min(1).describe('from 1'),
  at: nanoseconds.describe("on the node's clock"),
  node: z.string(),
  kind: z.enum(historyKinds),
  pod: z.strictObject({ name: z.string(), namespace: z.string(), uid: z.string() }),
  container: z
    .strictObject({ name: z.string(), attempt: z.int().min(0).optional().describe('absent in events') })
    .optional(),
  what: z.enum(historySteps).optional().describe('of a container'),
  exitCode: z.int().optional().describe('of a container that ended'),
  type: z.string().optional().describe('of an event: Normal or Warning'),
  reason: z.string().optional().describe('of an event, or why a container ended'),
  message: z.string().optional().describe('of an event'),
});

const historyShape = z.strictObject({
  entries: z.array(entryShape),
  next: z.int().min(0).describe('the value of `since` for the next request'),
});

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
  'DELETE /v1/node-faults/:node': {
    id: 'removeNodeFaults',
    summary: 'Ends what happens to nodes, given by name or pattern, now: their kubelets start.',
    reply: { status: 202, json: z.strictObject({ nodes: z.array(z.string()) }) },
    errors: [404],
  },
  'GET /v1/behaviors': {
    id: 'listBehaviors',
    summary: 'The rules for what containers do, oldest first. The newest that matches wins.',
    reply: { json: behaviorsShape },
  },
  'POST /v1/behaviors': {
    id: 'addBehavior',
    summary: 'Adds a rule for what containers, their probes, hooks and pulls do, now and later.',
    body: behaviorRuleSchema,
    reply: { status: 201, json: behaviorShape },
    errors: [400, 409, 413, 415],
  },
  'DELETE /v1/behaviors': {
    id: 'removeBehaviors',
    summary: 'Removes all rules for what containers do.',
    reply: { json: behaviorsShape },
  },
  'GET /v1/behaviors/:name': {
    id: 'getBehavior',
    summary: 'One rule for what containers do.',
    reply: { json: behaviorShape },
    errors: [404],
  },
  'PUT /v1/behaviors/:name': {
    id: 'putBehavior',
    summary: 'Adds the rule with this name, or replaces it. It is the newest then.',
    body: behaviorRuleSchema,
    reply: { json: behaviorShape },
    errors: [400, 409, 413, 415],
  },
  'DELETE /v1/behaviors/:name': {
    id: 'removeBehavior',
    summary: 'Removes a rule. Containers continue as without it.',
    reply: { json: behaviorsShape },
    errors: [404],
  },
  'GET /v1/history': {
    id: 'getHistory',
    summary:
      'What containers did, and events of their pods, oldest first. With `wait`, a request that nothing fits is answered when the first entry fits, or when the time is over.',
    query: historySchema,
    reply: { json: historyShape },
    errors: [400],
  },
  'GET /v1/nodes/:name/state': {
    id: 'getNodeState',
    summary: 'Sandboxes and containers as the runtime of one node of `mockri node` knows them.',
    reply: { json: stateShape },
    errors: [404],
  },
};
