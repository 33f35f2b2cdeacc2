import type { Clock } from '../../../base/clock/clock.js';
import type { Accounts } from '../../../base/input/account.js';

/** What every backend is started with. */
export interface BackendContext {
  readonly clock: Clock;
  /** What the node may keep in memory. */
  readonly accounts: Accounts;
  /** Called with errors that no client waits for. */
  readonly warn: (message: string, error: unknown) => void;
  /** What a log at level info has. */
  readonly inform: (message: string) => void;
}
