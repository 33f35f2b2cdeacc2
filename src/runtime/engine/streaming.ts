import type { Duplex } from 'node:stream';
import type { Suspendable } from '../../cri/restartable-server.js';
import type { StreamRules } from '../fault-decisions.js';
import type { ProcessStreams } from './backend.js';

export interface StreamingHandler {
  readonly newestSubprotocols: boolean;
  /** Resolves with the exit code. */
  exec(session: ExecSession, streams: ProcessStreams, signal: AbortSignal): Promise<number>;
  attach(session: AttachSession, streams: ProcessStreams, signal: AbortSignal): Promise<void>;
  portForward(sandboxId: string, port: number, connection: Duplex, signal: AbortSignal): Promise<void>;
}

export interface StreamSelection {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

export interface ExecSession extends StreamSelection {
  readonly containerId: string;
  readonly command: readonly string[];
}

export interface AttachSession extends StreamSelection {
  readonly containerId: string;
}

/** Issues the URLs that Exec, Attach and PortForward return (cri-streaming server.go Server). */
export interface StreamingServer extends Suspendable {
  readonly address: string;
  /** Applies rules to connections and sessions from now on. */
  useRules(rules: StreamRules): void;
  /** Sends no byte to any client until then, like a stopped process. */
  hold(until: Promise<unknown>): void;
  /** Drops every connection. */
  disconnectAll(): void;
  execUrl(session: ExecSession): string;
  attachUrl(session: AttachSession): string;
  /** Only the WebSocket form uses `ports`. */
  portForwardUrl(session: { readonly sandboxId: string; readonly ports: readonly number[] }): string;
  close(): Promise<void>;
}
