import type { Duplex } from 'node:stream';
import type { Suspendable } from '../../cri/restartable-server.js';
import type { ProcessStreams } from './backend.js';

/** What the streaming server needs from the runtime; it checks nothing but the protocol. */
export interface StreamingHandler {
  /** Whether clients may choose the subprotocols of WebSocket that no runtime's server has. */
  readonly newestSubprotocols: boolean;
  /** Resolves with the exit code. */
  exec(session: ExecSession, streams: ProcessStreams, signal: AbortSignal): Promise<number>;
  attach(session: AttachSession, streams: ProcessStreams, signal: AbortSignal): Promise<void>;
  portForward(sandboxId: string, port: number, connection: Duplex, signal: AbortSignal): Promise<void>;
}

/** Which streams a client asked for. */
export interface StreamSelection {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

/** Session behind an Exec URL. */
export interface ExecSession extends StreamSelection {
  readonly containerId: string;
  readonly command: readonly string[];
}

/** Session behind an Attach URL. */
export interface AttachSession extends StreamSelection {
  readonly containerId: string;
}

/** Issues the URLs that Exec, Attach and PortForward answer with (cri-streaming server.go Server). */
export interface StreamingServer extends Suspendable {
  readonly address: string;
  execUrl(session: ExecSession): string;
  attachUrl(session: AttachSession): string;
  /** `ports` are used by the WebSocket form only. */
  portForwardUrl(session: { readonly sandboxId: string; readonly ports: readonly number[] }): string;
  close(): Promise<void>;
}
