import { z } from 'zod';
import { causesOf } from '../causes/causes.js';

const findingSchema = z.object({
  rule: z.string(),
  kind: z.string(),
  message: z.string(),
  pod: z.string(),
  file: z.string(),
  tape: z.string(),
  /** The timeline as a page, if the build has one. */
  page: z.string().optional(),
  explanation: z.string(),
  replay: z.string(),
  perturbations: z.array(z.string()),
  kubelet: z.string(),
  known: z.string().optional(),
  /** Known behavior of Kubernetes: reason, report, and the version without it. */
  behavior: z.string().optional(),
  cause: z.string(),
  /** A sentence with the kubelet's first decision that differs from the run without faults. */
  decision: z.string(),
  /** Likelihood of the perturbations in a cluster, without a unit; 10 for none. */
  likely: z.number(),
  /** Whether a real kubelet also breaks the rule, if one was given. */
  real: z
    .object({ verdict: z.enum(['confirmed', 'not seen', 'could not be placed']), text: z.string() })
    .optional(),
  /** By kubelet version, if several were given; null if the scenario does not run. */
  versions: z.record(z.string(), z.boolean().nullable()).optional(),
});

/** The result of an exploration, as printed by `--json` and stored in `findings.json`. */
export const summarySchema = z.object({
  schedules: z.int(),
  perSecond: z.number(),
  coverage: z.int(),
  /** False after Ctrl-C. */
  finished: z.boolean(),
  findings: z.array(findingSchema),
  /** Unknown ones first, then by likelihood and severity. */
  causes: z.array(
    z.object({
      cause: z.string(),
      decision: z.string(),
      rule: z.string(),
      rank: z.number(),
      isKnown: z.boolean(),
      kinds: z.array(z.string()),
    }),
  ),
  /** How manifests were interpreted. */
  guesses: z
    .array(z.object({ container: z.string(), does: z.string(), from: z.string(), change: z.string() }))
    .readonly()
    .optional(),
  notes: z.array(z.string()).readonly().optional(),
});

export type Summary = z.infer<typeof summarySchema>;

export type SummaryFinding = Summary['findings'][number];

export const SUMMARY_FILE = 'findings.json';

export const summarizeCauses = (findings: readonly SummaryFinding[]): Summary['causes'] =>
  causesOf(findings).map(({ cause, first, rank, isKnown, findings: own }) => ({
    cause,
    decision: first.decision,
    rule: first.rule,
    rank,
    isKnown,
    kinds: own.map(({ kind }) => kind),
  }));
