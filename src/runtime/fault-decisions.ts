import type { SocketTreatment } from '../base/network/treated-socket.js';
import type { CallSubject } from '../cri/subject.js';

// What fault rules decide for the servers and for the host of plugins.

export interface ConnectionTreatment extends SocketTreatment {
  /** Sends GOAWAY once the connection is established. */
  readonly goaway: boolean;
}

export interface PluginRequestFacts {
  /** `10-logger` */
  readonly plugin: string;
  /** `CreateContainer` */
  readonly method: string;
  readonly request: object;
  readonly subject: CallSubject;
}

/** What happens to a request or its reply, after all delays. */
export type PluginFault =
  /** The plugin returns an error; `isSent`: after it has done its work. */
  | { readonly kind: 'error'; readonly code: number; readonly message: string; readonly isSent: boolean }
  | { readonly kind: 'close' }
  | { readonly kind: 'corrupt' }
  | { readonly kind: 'twice' }
  /** The reply is replaced; the result has the fields of a message. */
  | { readonly kind: 'reply'; alter(reply: object): object };

export interface PluginFaults {
  /** Whether any rule is in force; if not, callers need no further check. */
  readonly active: boolean;
  /**
   * Waits for the rules' delays, then returns the remaining effects; undefined for none. Rejects when `over` aborts.
   */
  decide(
    trigger: 'call' | 'reply',
    call: PluginRequestFacts,
    over: AbortSignal,
  ): Promise<PluginFault | undefined>;
}

/** Effects of fault rules on the clients of a streaming server. */
export interface StreamRules {
  /** Undefined for the usual treatment. `gone` aborts when the client disconnects. */
  treatConnection(gone: AbortSignal): Promise<SocketTreatment> | undefined;
  treatSession(site: SessionSite, gone: AbortSignal): Promise<SessionTreatment> | undefined;
}

/** One exec or attach, or one connection of a port-forward. */
export interface SessionSite {
  readonly method: 'Exec' | 'Attach' | 'PortForward';
  /** The request that its URL was created for, if known. */
  readonly request: object;
  readonly port?: number | undefined;
}

/** A stream of a session. In a port-forward, `stdin` carries bytes from the client, and `stdout` bytes to it. */
export type StreamName = 'stdin' | 'stdout' | 'stderr' | 'error';

/** How the bytes of a session pass. */
export interface SessionTreatment {
  readonly action: SessionAction | undefined;
  /** Number of bytes that pass unchanged first. */
  readonly afterBytes: number;
  /** Default: the streams that the action is for. */
  readonly stream: StreamName | undefined;
  /** Aborts when bytes pass as usual again. */
  readonly released: AbortSignal;
}

/** What happens to a session. */
export type SessionAction =
  | { readonly name: 'refuse' | 'end' | 'drop' | 'corrupt' }
  | { readonly name: 'error'; readonly message: string }
  | { readonly name: 'reset'; readonly scope: 'call' | 'connection' }
  /** `over` rejects when the client has disconnected. */
  | { readonly name: 'stall'; over(): Promise<void> }
  | { readonly name: 'shape'; readonly latency: number; readonly bytesPerSecond: number | undefined };
