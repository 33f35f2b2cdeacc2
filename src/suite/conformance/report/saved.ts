import { z } from 'zod';
import type { Deviation } from '../../deviations/deviation.js';
import { profileNames } from '../../deviations/index.js';
import { type CheckResult, type Report, rerunCommand } from '../result.js';
import { groups, severities, severityOf, tags } from '../rules.js';

const call = z.object({
  method: z.string(),
  request: z.string(),
  outcome: z.string(),
  /** Milliseconds since the start of the run. */
  startedAt: z.number(),
});

const failure = z.object({
  expected: z.string(),
  received: z.string(),
  calls: z.array(call),
  /** Files with all calls: the tape, and the timeline as a page. Relative to the report, if that is a file. */
  tape: z.string().optional(),
  page: z.string().optional(),
  /** Shell commands that repeat the calls with crictl, if it supports them. */
  crictl: z.string().optional(),
});

const result = z.object({
  id: z.string(),
  group: z.enum(groups),
  tag: z.enum(tags),
  /** Reports of earlier versions have none. */
  severity: z.enum(severities).optional(),
  rule: z.string(),
  source: z.string(),
  outcome: z.enum(['passed', 'failed', 'deviates', 'surprise', 'skipped']),
  reason: z.string().optional(),
  failure: failure.optional(),
  deviation: z
    .object({
      why: z.string(),
      link: z.string(),
      /** It depends on timing, so that the check passes in some runs. */
      sometimes: z.literal(true).optional(),
    })
    .optional(),
  /** Milliseconds. */
  duration: z.number(),
  /** Objects that could not be removed. */
  left: z.array(z.string()),
  rerun: z.string(),
});

/** A report as `--output json` writes it and `conformance compare` reads it. */
export const savedReportSchema = z.object({
  format: z.literal('mockri-conformance/1'),
  endpoint: z.string(),
  profile: z.enum(profileNames).optional(),
  seed: z.number(),
  runtime: z.object({ name: z.string(), version: z.string() }).optional(),
  image: z.string().optional(),
  /** RFC 3339, UTC. Reports of earlier versions have none. */
  startedAt: z.iso.datetime().optional(),
  results: z.array(result),
  /** Milliseconds. */
  duration: z.number(),
  /** Objects that neither a check nor the end of the run could remove. */
  left: z.array(z.string()),
  interrupted: z.boolean(),
  /** Why the endpoint could not be tested at all. */
  unusable: z.string().optional(),
  /** Why some checks were not judged, and how many: the runtime stopped responding. */
  incomplete: z.string().optional(),
});

/** The format of `--output json`, as created by `saveReport`. */
export type SavedReport = z.output<typeof savedReportSchema>;
export type SavedResult = SavedReport['results'][number];
export type SavedOutcome = SavedResult['outcome'];

export const nameOf = ({ runtime, endpoint }: SavedReport): string =>
  runtime ? `${runtime.name} ${runtime.version}` : endpoint;

/** Converts a report to plain data, the source of every format. */
export function saveReport(report: Report): SavedReport {
  const { endpoint, profile, seed, begunAt, facts, left, duration, interrupted, incomplete } = report;
  return {
    format: 'mockri-conformance/1',
    endpoint,
    profile,
    seed,
    runtime: { name: facts.runtimeName, version: facts.runtimeVersion },
    image: facts.image,
    startedAt: new Date(Number(begunAt / 1_000_000n)).toISOString(),
    results: report.results.map((one) => saveResult(one, report)),
    duration,
    left: [...left],
    interrupted,
    ...(incomplete !== undefined && { incomplete }),
  };
}

export function saveResult(
  { check, outcome, duration, left }: CheckResult,
  run: Pick<Report, 'endpoint' | 'seed' | 'profile'>,
): SavedResult {
  const { id, group, tag, rule, source } = check;
  return {
    ...{ id, group, tag, severity: severityOf(id), rule, source, duration, left: [...left] },
    outcome: outcome.kind,
    ...('reason' in outcome && { reason: outcome.reason }),
    ...('failure' in outcome && { failure: saveFailure(outcome.failure) }),
    ...('deviation' in outcome && { deviation: saveDeviation(outcome.deviation) }),
    rerun: rerunCommand(run, id),
  };
}

const saveDeviation = ({ why, link, sometimes }: Deviation): SavedResult['deviation'] => ({
  ...{ why, link },
  ...(sometimes && { sometimes }),
});

const saveFailure = ({
  expected,
  received,
  calls,
  files,
  crictl,
}: CheckResultFailure): z.output<typeof failure> => ({
  expected,
  received,
  ...(files && { tape: files.tape }),
  ...(files?.page !== undefined && { page: files.page }),
  ...(crictl !== undefined && { crictl }),
  calls: calls.map(({ method, request, outcome, startedAt }) => ({ method, request, outcome, startedAt })),
});

type CheckResultFailure = Extract<CheckResult['outcome'], { kind: 'failed' }>['failure'];

export const withPaths = (report: SavedReport, pathOf: (path: string) => string): SavedReport => ({
  ...report,
  results: report.results.map((result) => {
    const { tape, page } = result.failure ?? {};
    if (result.failure === undefined || tape === undefined) return result;
    const paths = { tape: pathOf(tape), ...(page !== undefined && { page: pathOf(page) }) };
    return { ...result, failure: { ...result.failure, ...paths } };
  }),
});

export const unusableReport = (endpoint: string, seed: number, reason: string): SavedReport => ({
  format: 'mockri-conformance/1',
  endpoint,
  seed,
  results: [],
  duration: 0,
  left: [],
  interrupted: false,
  unusable: reason,
});

/** 0: nothing failed. 1: a rule is broken, or something could not be removed. 2: the run could not complete. */
export function exitCodeOf({ results, left, interrupted, unusable, incomplete }: SavedReport): 0 | 1 | 2 {
  if (unusable !== undefined || incomplete !== undefined || interrupted) return 2;
  const isBroken = results.some((result) => result.outcome === 'failed');
  return isBroken || left.length > 0 ? 1 : 0;
}
