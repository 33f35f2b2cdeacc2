import { connectionLimit } from '../../cri/limits.js';

/** All times in ms. */
export interface StreamingLimits {
  /** How long an unused token is good for. Default 1 minute. */
  readonly tokenTtl: number;
  /** Unused tokens; more are RESOURCE_EXHAUSTED. Default 1,000. */
  readonly pendingTokens: number;
  /** Characters of the commands that wait for their client. */
  readonly pendingCommands: number;
  /** Connections without a request; the oldest is closed for one more. Default 512, or 1/16 of the descriptors. */
  readonly halfOpenConnections: number;
  /** How long a connection may be without a request. Default 10 s. */
  readonly requestTimeout: number;
  /** Sessions at a time; more are refused with 503. Default 4,096, or a quarter of the descriptors. */
  readonly sessions: number;
  /** A session that carries no byte for between one and two of these is closed. Default 4 h. */
  readonly idleTimeout: number;
  /** In which a SPDY client has to open its streams. Default 30 s. */
  readonly streamCreationTimeout: number;
}

/** Tokens and time-outs as containerd and CRI-O have them (cri-streaming server.go, request_cache.go). */
export const DEFAULT_LIMITS: StreamingLimits = {
  tokenTtl: 60_000,
  pendingTokens: 1000,
  pendingCommands: 16 * 1024 * 1024,
  halfOpenConnections: connectionLimit(512, 16),
  requestTimeout: 10_000,
  sessions: connectionLimit(4096, 4),
  idleTimeout: 4 * 60 * 60 * 1000,
  streamCreationTimeout: 30_000,
};
