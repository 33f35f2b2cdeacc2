import type { Deviation } from '../deviations/deviation.js';
import type { ProfileName } from '../deviations/index.js';
import type { RecordedCall } from './call-recorder.js';
import type { Check } from './check.js';
import type { CheckFiles } from './check-recorder.js';
import type { Facts } from './facts.js';

/**
 * How a check ended. `deviates` is a failure that the profile expects. `surprise` is a success although the profile
 * expects a failure: the profile is outdated, or the runtime was fixed.
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
  /** Requests and replies, oldest first. */
  readonly calls: readonly RecordedCall[];
  /** Where all calls are recorded, if they are. */
  readonly files?: CheckFiles | undefined;
  /** Commands of a shell that make the calls with crictl, as far as it can. */
  readonly crictl?: string | undefined;
}

/** Result of one check. */
export interface CheckResult {
  readonly check: Check;
  readonly outcome: Outcome;
  /** Milliseconds. */
  readonly duration: number;
  /** Objects that could not be removed. */
  readonly left: readonly string[];
  /** Whether a call ended without a status of the server: if the runtime is gone, the outcome says nothing about it. */
  readonly wasCutOff?: boolean | undefined;
}

/** Result of a run. */
export interface Report {
  readonly endpoint: string;
  readonly profile: ProfileName;
  readonly seed: number;
  /** Unix nanoseconds. */
  readonly begunAt: bigint;
  readonly facts: Facts;
  readonly results: readonly CheckResult[];
  /** Objects that neither a check nor the end of the run could remove. */
  readonly left: readonly string[];
  /** Milliseconds. */
  readonly duration: number;
  /** Whether the run was interrupted. */
  readonly interrupted: boolean;
  /** Why some checks were not judged, and how many: the runtime stopped responding. */
  readonly incomplete?: string | undefined;
}

/** Command that runs one check alone. */
export const rerunCommand = (
  report: Pick<Report, 'endpoint' | 'seed' | 'profile'>,
  checkId: string,
): string =>
  `npx mockri conformance --endpoint ${report.endpoint} --profile ${report.profile} --seed ${report.seed} --focus ${checkId}`;
