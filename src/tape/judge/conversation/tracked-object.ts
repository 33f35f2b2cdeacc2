/** What is known of a sandbox or container from the calls that have passed. */
export interface TrackedObject {
  readonly id: string;
  readonly kind: 'sandbox' | 'container';
  /** The sandbox of a container. */
  readonly sandboxId: string;
  /** `default/web (u1) attempt 0`, or `app attempt 0`: unique among those that are there. */
  readonly name: string;
  /** Line of the call that made it; 0 for one that was there before. */
  readonly madeAt: number;
  /** Whether it is there: unknown after a call whose end was not seen. */
  presence: 'present' | 'gone' | 'unknown';
  /** The line from which `presence` holds. */
  presenceLine: number;
  /** The least state that it can be in: 0 created, 1 running, 2 exited; of a sandbox 0 ready, 2 not ready. */
  least: number;
  leastLine: number;
  /** The RPC that `least` follows from; empty for an observation. */
  leastBy: string;
  /** Whether a start was tried: else a container stays created. */
  startTried: boolean;
  /** Whether a stop was tried. */
  stopTried: boolean;
  /** Whether a StartContainer has failed that began before another one was OK, and the container was not seen since. */
  failedStart: boolean;
  /** Whether it is known to have run: its start succeeded, or it was seen running. One that could not be started ends without that. */
  hasRun: boolean;
  /** Changing calls that are under way. */
  changing: number;
  /** The line at which the last changing call began or ended. */
  changedAt: number;
  /** The line of the last changing call that began while no other one was under way; 0 once another one overlaps it. */
  alone: number;
  /** Of a sandbox: whether no call can have made a container that is not known. */
  isWhole: boolean;
  /** Of a sandbox: creations under way, and the line at which the last one ended. */
  creating: number;
  createdAt: number;
}

/** The metadata of a sandbox or container, which its name is made of. */
export interface Named {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly attempt: number;
}

/** The name of a sandbox as rules compare it. */
export const sandboxName = (metadata: Named | undefined): string =>
  metadata === undefined
    ? ''
    : `${metadata.namespace}/${metadata.name} (uid ${metadata.uid}) attempt ${metadata.attempt}`;

/** The name of a container within its sandbox. */
export const containerName = (metadata: Named | undefined): string =>
  metadata === undefined ? '' : `${metadata.name} attempt ${metadata.attempt}`;
