/** What a simulation of manifests assumes about a container. */
export interface Assumption {
  /** `web/app`; `blue/web/app` outside of the namespace `default`. */
  readonly container: string;
  /** What it does, in words. */
  readonly does: string;
  /** What this is guessed from, with the file and the line. */
  readonly from: string;
  /** The line of YAML that says it, to be changed: an annotation of the pod, or of the template; or else what to do. */
  readonly change: string;
  /** Whether `change` is more than an annotation. */
  readonly isAdvice?: true;
}

/** What a simulation takes manifests to mean, for people. */
export interface Assumptions {
  readonly guesses: readonly Assumption[];
  /** What is left out, or not as it is in a cluster. */
  readonly notes: readonly string[];
}

/** One line for each guess and note. */
export const assumptionLines = ({ guesses, notes }: Assumptions): string[] => [
  ...guesses.map(
    ({ container, does, from, change, isAdvice }) =>
      `guess: ${container} ${does} (from ${from}); to change it, ${isAdvice ? '' : 'annotate the pod: '}${change}`,
  ),
  ...notes.map((note) => `note: ${note}`),
];
