/** `mockri/conformance`: the suite as a library, for a project's own tests. */

export { type ProfileName, profileNames } from '../deviations/index.js';
export type { Check } from './check.js';
export type { Facts } from './facts.js';
export { describeFailure } from './report/failure-text.js';
export { toJunit } from './report/junit.js';
export { exitCodeOf, type SavedReport, type SavedResult, saveReport } from './report/saved.js';
export { toTap } from './report/tap.js';
export type { CheckResult, Failure, Outcome, Report } from './result.js';
export { type Group, groups, type Tag } from './rules.js';
export { type ConformanceOptions, runConformance } from './runner.js';
export { allChecks } from './specs/index.js';
export { Unusable } from './unusable.js';
