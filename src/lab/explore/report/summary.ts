import { z } from 'zod';
import { causesOf } from '../causes/causes.js';

const findingSchema = z.object({
  rule: z.string(),
  kind: z.string(),
  message: z.string(),
  pod: z.string(),
  file: z.string(),
  /** Absent for known findings, and for those that the budget left no time to run again. */
  tape: z.string().optional(),
  /** The timeline as a page, if the build has one. */
  page: z.string().optional(),
  /** For known findings, the page of all of them. */
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

/** The page of all known findings. */
export const KNOWN_FILE = 'known.txt';

export const isKnown = ({ known, behavior }: Pick<SummaryFinding, 'known' | 'behavior'>): boolean =>
  (known ?? behavior) !== undefined;

export const summarizeCauses = (findings: readonly SummaryFinding[]): Summary['causes'] =>
  causesOf(findings).map(({ cause, first, rank, isKnown, findings: own }) => ({
    cause,
    decision: first.decision,
    rule: first.rule,
    rank,
    isKnown,
    kinds: own.map(({ kind }) => kind),
  }));
