import { groupBy } from '../../../base/input/group-by.js';
export interface CausedFinding {
  readonly rule: string;
  readonly kind: string;
  readonly message: string;
  /** Equal for findings with the same cause: the kubelet's first different decision, and the rule. */
  readonly cause: string;
  readonly likely: number;
  readonly perturbations: readonly string[];
  readonly known?: string | undefined;
  readonly behavior?: string | undefined;
}

export interface Cause<T extends CausedFinding = CausedFinding> {
  readonly cause: string;
  /** The best one to start with: the likeliest, with the fewest perturbations. */
  readonly first: T;
  readonly findings: readonly T[];
  /** Likelihood times severity, without a unit. */
  readonly rank: number;
  /** Whether all findings are accepted, or known behavior of Kubernetes. */
  readonly isKnown: boolean;
}

/** Severity of a broken rule, from 1 to 10: highest for lasting errors and harm, lowest for a wrong display. */
const BAD: Readonly<Record<string, number>> = {
  'no-exception': 10,
  'one-instance': 9,
  'same-end': 9,
  'done-stays-done': 8,
  'node-ready': 8,
  expectation: 8,
  oracle: 8,
  'nothing-left': 6,
  'gone-in-time': 6,
  'shows-truth': 6,
  'backs-off': 6,
  'gone-soon': 4,
  'attempts-grow': 4,
  'same-pace': 3,
  'counts-restarts': 3,
  'restarts-grow': 3,
};

const OTHER = 5;

export function causesOf<T extends CausedFinding>(findings: readonly T[]): Cause<T>[] {
  return [...groupBy(findings, ({ cause }) => cause)]
    .map(([cause, own]) => causeOf(cause, own))
    .sort((a, b) => Number(a.isKnown) - Number(b.isKnown) || b.rank - a.rank || (a.cause < b.cause ? -1 : 1));
}

function causeOf<T extends CausedFinding>(cause: string, own: readonly T[]): Cause<T> {
  const findings = [...own].sort(
    (a, b) =>
      b.likely - a.likely || a.perturbations.length - b.perturbations.length || (a.kind < b.kind ? -1 : 1),
  );
  const first = findings[0] as T;
  return {
    cause,
    first,
    findings,
    rank: first.likely * (BAD[first.rule] ?? OTHER),
    isKnown: findings.every(({ known, behavior }) => (known ?? behavior) !== undefined),
  };
}
