/** A socket that can go away and return. */
export interface Suspendable {
  /** Takes the socket away with all its connections: clients see a process that has ended. */
  suspend(): Promise<void>;
  /** Listens again at the same place. */
  resume(): Promise<void>;
}

/** What a server's restart and broken connections need: a socket that can go away, and the connections on it. */
export interface RestartableServer extends Suspendable {
  readonly connections: {
    /** Breaks every open connection: `reset` at once, `goaway` after the calls on it. */
    disconnectAll(how: 'reset' | 'goaway'): void;
  };
}
