export type { Clock } from '../base/clock/clock.js';
export type { ApiLevel } from '../cri/api-level.js';
export type { CriClient } from '../cri/client/client.js';
export type { CriConnection } from '../cri/client/connect.js';
export type { CodeName } from '../cri/status-code.js';
export type { RpcName } from '../runtime/faults/language/methods.js';
export type { FaultInput } from '../runtime/faults/language/rule-schema.js';
export type { RuleView } from '../runtime/faults/matching/registry.js';
export type { RuntimeProfileChoice, RuntimeProfileName } from '../runtime/profiles/index.js';
export type { CallRecord } from '../runtime/server/call-log.js';
export type { RefereeFinding as Finding, RefereeMode } from '../tape/judge/referee.js';
export type { FaultBuilder, MethodPattern } from './fault-builder.js';
export type { FaultHandle } from './fault-handle.js';
export type { ContainerRules, ContainersOfNodes, Moment, MomentQuery, NodeRules } from './node-rules.js';
export type { ImageRule, MockriOptions } from './options.js';
export type { AdjustedContainer, ConnectedPlugin, PluginTests } from './plugins.js';
export {
  type CallQuery,
  type ContainerControl,
  type ContainerQuery,
  type GivenPod,
  type Mockri,
  startMockri,
} from './start-mockri.js';
export { type MockNodes, type NodeOptions, startNode } from './start-node.js';
export type { EventQuery } from './wait.js';
