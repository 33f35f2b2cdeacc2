export interface TrackedObject {
  readonly id: string;
  readonly kind: 'sandbox' | 'container';
  readonly sandboxId: string;
  /** `default/web (u1) attempt 0`, or `app attempt 0`: unique among existing objects. */
  readonly name: string;
  /** Line of the creating call; 0 if it existed before. */
  readonly madeAt: number;
  /** Unknown after a call whose end was not seen. */
  presence: 'present' | 'gone' | 'unknown';
  /** Line since which `presence` holds. */
  presenceLine: number;
  /** Minimum state: 0 created, 1 running, 2 exited; for a sandbox 0 ready, 2 not ready. */
  least: number;
  leastLine: number;
  /** The RPC that implies `least`; empty for an observation. */
  leastBy: string;
  /** Whether a start was attempted: otherwise a container stays created. */
  startTried: boolean;
  stopTried: boolean;
  /** A StartContainer that began before a successful one has failed, and the container has not been seen since. */
  failedStart: boolean;
  /** Its start succeeded, or it was seen running. A container that could not start ends without this. */
  hasRun: boolean;
  changing: number;
  /** Line at which the last changing call began or ended. */
  changedAt: number;
  /** Line of the last changing call that began alone; 0 once another one overlaps it. */
  alone: number;
  /** For a sandbox: no call can have created an unknown container. */
  isWhole: boolean;
  /** For a sandbox: creations in progress, and the line at which the last one ended. */
  creating: number;
  createdAt: number;
}
