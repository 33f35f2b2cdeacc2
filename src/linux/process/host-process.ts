import type { SeenProcess, SignalName } from './process.js';

/**
 * The sender of a signal: a process of the same PID namespace, or one above it, such as the runtime and the processes
 * of the host. Only the latter can kill a namespace's PID 1 (pid_namespaces(7)).
 */
export type SignalOrigin = 'inside' | 'above';

export interface HostProcess extends SeenProcess {
  readonly hostPid: number;
  readonly hostParent: number;
  readonly hostGroup: number;
  /** Permissions have been checked. */
  signal(signal: SignalName, origin: SignalOrigin): void;
}
