import { z } from 'zod';
import { causesOf } from '../causes/causes.js';

const findingSchema = z.object({
  rule: z.string(),
  kind: z.string(),
  message: z.string(),
  pod: z.string(),
  file: z.string(),
  tape: z.string(),
  /** The timeline as a page, where the build made one. */
  page: z.string().optional(),
  explanation: z.string(),
  replay: z.string(),
  perturbations: z.array(z.string()),
  kubelet: z.string(),
  /** Why it is accepted. */
  known: z.string().optional(),
  /** Known behavior of Kubernetes: why, where it was reported, where it is gone. */
  behavior: z.string().optional(),
  /** Equal for findings of the same cause. */
  cause: z.string(),
  /** The first decision of the kubelet that differs from the run without faults: a sentence. */
  decision: z.string(),
  /** How likely what was perturbed is in a cluster, in no unit; 10 for nothing. */
  likely: z.number(),
  /** Whether a real kubelet breaks the rule as well, when one was given. */
  real: z
    .object({ verdict: z.enum(['confirmed', 'not seen', 'could not be placed']), text: z.string() })
    .optional(),
  /** By kubelet version, when several were asked for; null where the scenario does not run. */
  versions: z.record(z.string(), z.boolean().nullable()).optional(),
});

/** What an exploration has come to, as `--json` prints it and `findings.json` keeps it. */
export const summarySchema = z.object({
  schedules: z.int(),
  perSecond: z.number(),
  coverage: z.int(),
  /** False after Ctrl-C. */
  finished: z.boolean(),
  findings: z.array(findingSchema),
  /** Those that are not known first, then by how likely and how bad they are. */
  causes: z.array(
    z.object({
      cause: z.string(),
      decision: z.string(),
      rule: z.string(),
      rank: z.number(),
      isKnown: z.boolean(),
      /** Kinds of its findings, the one to begin with first. */
      kinds: z.array(z.string()),
    }),
  ),
  /** What manifests are taken to mean. */
  guesses: z
    .array(z.object({ container: z.string(), does: z.string(), from: z.string(), change: z.string() }))
    .readonly()
    .optional(),
  notes: z.array(z.string()).readonly().optional(),
});

/** See `summarySchema`. */
export type Summary = z.infer<typeof summarySchema>;

/** A finding of a summary. */
export type SummaryFinding = Summary['findings'][number];

/** The name of the file in a directory of findings. */
export const SUMMARY_FILE = 'findings.json';

/** The causes of findings, as a summary has them. */
export const summarizeCauses = (findings: readonly SummaryFinding[]): Summary['causes'] =>
  causesOf(findings).map(({ cause, first, rank, isKnown, findings: own }) => ({
    cause,
    decision: first.decision,
    rule: first.rule,
    rank,
    isKnown,
    kinds: own.map(({ kind }) => kind),
  }));
