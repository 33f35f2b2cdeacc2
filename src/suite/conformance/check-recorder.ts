import type { CriClient } from '../../cri/client/client.js';
import type { Check } from './check.js';
import type { Facts } from './facts.js';
import type { Violation } from './violation.js';

/** Files with everything that a check called, for its report. */
export interface CheckFiles {
  /** The tape. */
  readonly tape: string;
  /** The timeline as a page, where there is one. */
  readonly page?: string | undefined;
}

/** Records the calls of checks; the suite itself knows no tapes. */
export interface CheckRecorder {
  /** Called before each attempt of a check. */
  begin(check: Check, cri: CriClient, facts: Facts): Promise<CheckRecording>;
}

/** The recording of one attempt. */
export interface CheckRecording {
  /** The client whose calls are recorded. */
  readonly cri: CriClient;
  /** Called when the check is over, before its cleanup. */
  over(): void;
  /** Called after the cleanup, with what is broken. Resolves with what is kept of it. */
  end(broken: Pick<Violation, 'expected' | 'received'> | undefined): Promise<CheckFiles | undefined>;
}
