import type { SeenProcess, SignalName } from './process.js';

/** The sender of a signal: a process of the PID namespace, or one above it, which can kill PID 1 too. */
export type SignalOrigin = 'inside' | 'above';

export interface HostProcess extends SeenProcess {
  readonly hostPid: number;
  readonly hostParent: number;
  readonly hostGroup: number;
  /** Permissions have been checked. */
  signal(signal: SignalName, origin: SignalOrigin): void;
}
