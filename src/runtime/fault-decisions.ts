import type { CallSubject } from '../cri/subject.js';

// What fault rules decide for the server and for the host of plugins.

export interface ConnectionTreatment {
  /** Close it at once. */
  readonly refuse: boolean;
  /** GOAWAY once it is established. */
  readonly goaway: boolean;
  /** Extra milliseconds for whatever passes, each way. */
  readonly latency: number;
  readonly bytesPerSecond: number | undefined;
  /** Aborts when the rule is removed: bytes pass as usual then. */
  readonly released: AbortSignal;
}

/** A request to a node resource plugin that rules may act on. */
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
  /** The plugin says no; `isSent`: after it has done its work. */
  | { readonly kind: 'error'; readonly code: number; readonly message: string; readonly isSent: boolean }
  | { readonly kind: 'close' }
  /** The plugin's reply can't be decoded. */
  | { readonly kind: 'corrupt' }
  /** The plugin gets the request a second time. */
  | { readonly kind: 'twice' }
  /** The reply is another one; the result has the fields of a message. */
  | { readonly kind: 'reply'; alter(reply: object): object };

export interface PluginFaults {
  /** Whether any rule is in force; if not, nothing else needs to be asked. */
  readonly active: boolean;
  /**
   * Waits as the rules say, then answers what else is to happen; undefined for nothing. Rejects with the reason of `over`
   * when it aborts while rules wait.
   */
  decide(
    trigger: 'call' | 'reply',
    call: PluginRequestFacts,
    over: AbortSignal,
  ): Promise<PluginFault | undefined>;
}
