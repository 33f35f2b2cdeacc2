/** What a cause takes of a finding. */
export interface CausedFinding {
  readonly rule: string;
  readonly kind: string;
  readonly message: string;
  /** Equal for findings of the same cause: the first decision of the kubelet that differs, and the rule. */
  readonly cause: string;
  /** How likely what was perturbed is in a cluster. */
  readonly likely: number;
  readonly perturbations: readonly string[];
  readonly known?: string | undefined;
  readonly behavior?: string | undefined;
}

/** Findings that come from the same decision of the kubelet. */
export interface Cause<T extends CausedFinding = CausedFinding> {
  readonly cause: string;
  /** The one to begin with: the likeliest, with the fewest perturbations. */
  readonly first: T;
  /** All of them, the first one first. */
  readonly findings: readonly T[];
  /** How likely times how bad, in no unit. */
  readonly rank: number;
  /** Whether all of it is accepted, or known behavior of Kubernetes. */
  readonly isKnown: boolean;
}

/** How bad it is when a rule is broken, from 1 to 10: what stays wrong or does harm, down to what is only shown wrongly. */
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

/** Of rules of the judge of conversations. */
const OTHER = 5;

/** Findings by cause: those that are not known first, then by rank. */
export function causesOf<T extends CausedFinding>(findings: readonly T[]): Cause<T>[] {
  const groups = new Map<string, T[]>();
  for (const finding of findings) groups.set(finding.cause, [...(groups.get(finding.cause) ?? []), finding]);
  return [...groups]
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
