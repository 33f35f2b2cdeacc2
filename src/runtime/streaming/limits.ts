import { descriptorsOf } from '../../base/host/descriptors.js';

/** All times in ms. */
export interface StreamingLimits {
  /** Lifetime of an unused token. Default 1 minute. */
  readonly tokenTtl: number;
  /** Unused tokens; more are RESOURCE_EXHAUSTED. Default 1,000. */
  readonly pendingTokens: number;
  /** Total characters of the commands that wait for their client. */
  readonly pendingCommands: number;
  /** Connections without a request; one more closes the oldest. Default 512, or 1/16 of the descriptors. */
  readonly halfOpenConnections: number;
  /** Time that a connection may have no request. Default 10 s. */
  readonly requestTimeout: number;
  /** Sessions at a time; more are refused with 503. Default 4,096, or a quarter of the descriptors. */
  readonly sessions: number;
  /** Closes a session that carries no byte for one to two times this long. Default 4 h. */
  readonly idleTimeout: number;
  /** Time in which an SPDY client has to open its streams. Default 30 s. */
  readonly streamCreationTimeout: number;
}

/** Tokens and time-outs of containerd and CRI-O (cri-streaming server.go, request_cache.go). */
export const DEFAULT_LIMITS: StreamingLimits = {
  tokenTtl: 60_000,
  pendingTokens: 1000,
  pendingCommands: 16 * 1024 * 1024,
  halfOpenConnections: descriptorsOf(512, 16),
  requestTimeout: 10_000,
  sessions: descriptorsOf(4096, 4),
  idleTimeout: 4 * 60 * 60 * 1000,
  streamCreationTimeout: 30_000,
};
