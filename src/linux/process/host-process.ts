import type { SeenProcess, SignalName } from './process.js';

/**
 * Where a signal comes from: a process of the same pid namespace, or from above it, as the runtime's and those of the
 * host's processes do. Only the latter can kill a namespace's pid 1 (pid_namespaces(7)).
 */
export type SignalOrigin = 'inside' | 'above';

/** A process that lives in a pid namespace, with the number that it has in the host's. */
export interface HostProcess extends SeenProcess {
  readonly hostPid: number;
  readonly hostParent: number;
  readonly hostGroup: number;
  /** Sent by somebody who may. */
  signal(signal: SignalName, origin: SignalOrigin): void;
}
