import type { RecordedCall } from './call-recorder.js';
import type { Check } from './check.js';
import type { Facts } from './facts.js';
import type { ProfileName } from './profiles/index.js';
import type { Deviation } from './profiles/profile.js';

/**
 * How a check ended. `deviates` is a failure that the profile expects, `surprise` a success where it expects a
 * failure: the profile is out of date then, or the runtime has been mended.
 */
export type Outcome =
  | { readonly kind: 'passed' }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'deviates'; readonly failure: Failure; readonly deviation: Deviation }
  | { readonly kind: 'surprise'; readonly deviation: Deviation }
  | { readonly kind: 'skipped'; readonly reason: string };

/** Why a check failed. */
export interface Failure {
  readonly expected: string;
  readonly received: string;
  /** What was sent and what came back, oldest first. */
  readonly calls: readonly RecordedCall[];
}

/** What came of one check. */
export interface CheckResult {
  readonly check: Check;
  readonly outcome: Outcome;
  /** Milliseconds. */
  readonly duration: number;
  /** What could not be cleaned up. */
  readonly left: readonly string[];
}

/** What came of a run. */
export interface Report {
  readonly endpoint: string;
  readonly profile: ProfileName;
  readonly seed: number;
  /** Unix nanoseconds. */
  readonly begunAt: bigint;
  readonly facts: Facts;
  readonly results: readonly CheckResult[];
  /** What no check could clean up, and the end of the run couldn't either. */
  readonly left: readonly string[];
  /** Milliseconds. */
  readonly duration: number;
  /** Whether it was stopped before its end. */
  readonly interrupted: boolean;
}

/** The command that runs one check alone. */
export const rerunCommand = (
  report: Pick<Report, 'endpoint' | 'seed' | 'profile'>,
  checkId: string,
): string =>
  `mockri conformance --endpoint ${report.endpoint} --profile ${report.profile} --seed ${report.seed} --focus ${checkId}`;
