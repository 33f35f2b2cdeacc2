import type { CallSubject } from '../cri/subject.js';

// What fault rules decide for the server and for the host of plugins.

export interface ConnectionTreatment {
  readonly refuse: boolean;
  /** GOAWAY once it is established. */
  readonly goaway: boolean;
  /** Extra milliseconds for all bytes, in each direction. */
  readonly latency: number;
  readonly bytesPerSecond: number | undefined;
  /** Aborts when the rule is removed: bytes then pass normally. */
  readonly released: AbortSignal;
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
  /** Whether any rule is in force; if not, callers need not ask further. */
  readonly active: boolean;
  /**
   * Waits for the delays of the rules, then returns what else happens; undefined for nothing. Rejects with the reason of
   * `over` when it aborts during the delays.
   */
  decide(
    trigger: 'call' | 'reply',
    call: PluginRequestFacts,
    over: AbortSignal,
  ): Promise<PluginFault | undefined>;
}
