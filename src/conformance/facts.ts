import type { RuntimeHandler } from '../cri/gen/runtime/v1/api.js';

/** How `GetContainerEvents` answers. */
export type EventMode = 'open' | 'ends at once' | 'unimplemented';

/** What the probes found out about a runtime. */
export interface Facts {
  readonly runtimeName: string;
  readonly runtimeVersion: string;
  readonly handlers: readonly RuntimeHandler[];
  readonly events: EventMode;
  /** The image that checks run containers from, which has a shell. */
  readonly image: string;
  /** Why a need isn't met; a need that is missing here is met. */
  readonly missing: ReadonlyMap<Need, string>;
}

/** What a check can't do without; each is probed, and its absence is a skip with the reason. */
export type Need =
  | 'events'
  | 'forced removal'
  | 'streaming lists'
  | 'metrics'
  | 'pod stats'
  | 'update resources'
  | 'checkpoint container'
  | 'checkpoint pod'
  | 'network ready'
  | 'restart command'
  | 'control url';
