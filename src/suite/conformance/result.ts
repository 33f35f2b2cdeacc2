import type { Deviation } from '../deviations/deviation.js';
import type { ProfileName } from '../deviations/index.js';
import type { RecordedCall } from './call-recorder.js';
import type { Check } from './check.js';
import type { CheckFiles } from './check-recorder.js';
import type { Facts } from './facts.js';

/** `deviates`: an expected failure of the profile. `surprise`: an unexpected success, so the profile is outdated. */
export type Outcome =
  | { readonly kind: 'passed' }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'deviates'; readonly failure: Failure; readonly deviation: Deviation }
  | { readonly kind: 'surprise'; readonly deviation: Deviation }
  | { readonly kind: 'skipped'; readonly reason: string };

export interface Failure {
  readonly expected: string;
  readonly received: string;
  /** Requests and replies, oldest first. */
  readonly calls: readonly RecordedCall[];
  /** Where all calls are recorded; undefined without a recorder. */
  readonly files?: CheckFiles | undefined;
  /** Shell commands that repeat the calls with crictl, if it supports them. */
  readonly crictl?: string | undefined;
}

export interface CheckResult {
  readonly check: Check;
  readonly outcome: Outcome;
  /** Milliseconds. */
  readonly duration: number;
  /** Objects that could not be removed. */
  readonly left: readonly string[];
  /** Whether a call ended without a status from the server: if the runtime is gone, the outcome doesn't count. */
  readonly wasCutOff?: boolean | undefined;
}

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
  readonly interrupted: boolean;
  /** Why some checks were not judged, and how many: the runtime stopped responding. */
  readonly incomplete?: string | undefined;
}

export const rerunCommand = (
  report: Pick<Report, 'endpoint' | 'seed' | 'profile'>,
  checkId: string,
): string =>
  `npx mockri conformance --endpoint ${report.endpoint} --profile ${report.profile} --seed ${report.seed} --focus ${checkId}`;
