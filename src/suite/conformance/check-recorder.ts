import type { CriClient } from '../../cri/client/client.js';
import type { Check } from './check.js';
import type { Facts } from './facts.js';
import type { Violation } from './violation.js';

export interface CheckFiles {
  readonly tape: string;
  /** The timeline as a page; undefined without one. */
  readonly page?: string | undefined;
}

/** Records the calls of checks; the suite itself doesn't depend on tapes. */
export interface CheckRecorder {
  begin(check: Check, cri: CriClient, facts: Facts): Promise<CheckRecording>;
}

export interface CheckRecording {
  readonly cri: CriClient;
  /** Called at the end of the check, before its cleanup. */
  over(): void;
  /** Called after the cleanup, with the violation if there was one. Resolves with the files that are kept. */
  end(broken: Pick<Violation, 'expected' | 'received'> | undefined): Promise<CheckFiles | undefined>;
}
