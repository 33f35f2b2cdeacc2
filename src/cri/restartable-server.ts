export interface Suspendable {
  /** Removes the socket with all its connections: to clients, the process has ended. */
  suspend(): Promise<void>;
  /** Listens again on the same socket. */
  resume(): Promise<void>;
}

export interface RestartableServer extends Suspendable {
  readonly connections: {
    /** Breaks every open connection: `reset` immediately, `goaway` after its calls. */
    disconnectAll(how: 'reset' | 'goaway'): void;
  };
  /**
   * Delays all bytes to clients until then, where rules can't hold calls: on streams of exec, attach and port-forward.
   */
  hold?(until: Promise<unknown>): void;
}
