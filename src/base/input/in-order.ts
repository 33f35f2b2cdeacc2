export interface InputProblem {
  /** The file, or another name of the source. */
  readonly source: string;
  /** Starts at 1; undefined for an input without lines. */
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  /** For example `faults[0].when.times`. */
  readonly field?: string | undefined;
  /** Names the given value, the allowed ones, and a remedy. */
  readonly message: string;
}

/** Sorts problems by line, file by file, and removes duplicates. */
export function inOrder(problems: readonly InputProblem[]): InputProblem[] {
  const sources = [...new Set(problems.map(({ source }) => source))];
  const key = ({ source, line, column, field, message }: InputProblem) =>
    JSON.stringify([source, line, column, field, message]);
  const once = new Map(problems.map((problem) => [key(problem), problem]));
  return [...once.values()].sort(
    (a, b) =>
      sources.indexOf(a.source) - sources.indexOf(b.source) ||
      (a.line ?? 0) - (b.line ?? 0) ||
      (a.column ?? 0) - (b.column ?? 0),
  );
}
