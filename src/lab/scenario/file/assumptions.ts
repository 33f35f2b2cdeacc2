export interface Assumption {
  /** `web/app`; `blue/web/app` outside namespace `default`. */
  readonly container: string;
  /** A phrase such as `run`. */
  readonly does: string;
  readonly from: string;
  /** How to change it: an annotation of the pod or template as YAML, or advice. */
  readonly change: string;
  readonly isAdvice?: true;
}

export interface Assumptions {
  readonly guesses: readonly Assumption[];
  readonly notes: readonly string[];
}

export const assumptionLines = ({ guesses, notes }: Assumptions): string[] => [
  ...guesses.map(
    ({ container, does, from, change, isAdvice }) =>
      `guess: ${container} ${does} (from ${from}); to change it, ${isAdvice ? '' : 'annotate the pod: '}${change}`,
  ),
  ...notes.map((note) => `note: ${note}`),
];
