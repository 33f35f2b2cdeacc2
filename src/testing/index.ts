export type { Finding, RefereeMode } from '../referee/referee.js';
export type { CallRecord } from '../server/call-log.js';
export type { FaultBuilder, FaultHandle } from './fault-builder.js';
export {
  type CallQuery,
  type ContainerControl,
  type ContainerQuery,
  type Mockri,
  type MockriOptions,
  startMockri,
} from './start-mockri.js';
