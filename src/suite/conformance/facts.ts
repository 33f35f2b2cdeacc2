import type { RuntimeHandler } from '../../cri/gen/runtime/v1/api.js';

/** Behavior of `GetContainerEvents`. */
export type EventMode = 'open' | 'ends at once' | 'unimplemented';

/** Results of the probes of a runtime. */
export interface Facts {
  readonly runtimeName: string;
  readonly runtimeVersion: string;
  readonly handlers: readonly RuntimeHandler[];
  readonly events: EventMode;
  /** Whether every subscriber gets every event, so that checks do not take events away from each other. */
  readonly sharesEvents: boolean;
  /** Image of the checks' containers; it has a shell. */
  readonly image: string;
  /** Why a need is not met. Needs that are not listed are met. */
  readonly missing: ReadonlyMap<Need, string>;
}

/** A precondition of a check. Each is probed; if it is not met, the check is skipped with the reason. */
export type Need =
  | 'events'
  | 'forced removal'
  | 'streaming lists'
  | 'metrics'
  | 'pod stats'
  | 'update resources'
  | 'update pod resources'
  | 'checkpoint container'
  | 'checkpoint pod'
  | 'network ready'
  | 'supplemental groups policy'
  | 'user namespaces'
  | 'recursive read-only'
  | 'restart command'
  | 'control url';
