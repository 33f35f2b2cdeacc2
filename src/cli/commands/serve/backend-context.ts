import type { Clock } from '../../../clock/clock.js';

/** What every backend is started with. */
export interface BackendContext {
  readonly clock: Clock;
  /** Called with what failed where no client waits for an answer. */
  readonly warn: (message: string, error: unknown) => void;
  /** What a log at level info has. */
  readonly inform: (message: string) => void;
}
