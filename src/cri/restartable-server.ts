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
  /** Sends no byte to any client until then, where calls are not what is held: on streams of exec, attach and port-forward. */
  hold?(until: Promise<unknown>): void;
}
