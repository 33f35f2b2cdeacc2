import type { Clock } from '../../../base/clock/clock.js';
import type { Accounts } from '../../../base/input/account.js';

export interface BackendContext {
  readonly clock: Clock;
  readonly accounts: Accounts;
  /** Called for errors that no client waits for. */
  readonly warn: (message: string, error: unknown) => void;
  readonly inform: (message: string) => void;
}
