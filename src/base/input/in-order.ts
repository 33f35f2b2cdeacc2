interface Placed {
  readonly source: string;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  readonly field?: string | undefined;
  readonly message: string;
}

/** Sorts problems by line, file by file, and removes duplicates. */
export function inOrder<P extends Placed>(problems: readonly P[]): P[] {
  const sources = [...new Set(problems.map(({ source }) => source))];
  const key = ({ source, line, column, field, message }: P) =>
    JSON.stringify([source, line, column, field, message]);
  const once = new Map(problems.map((problem) => [key(problem), problem]));
  return [...once.values()].sort(
    (a, b) =>
      sources.indexOf(a.source) - sources.indexOf(b.source) ||
      (a.line ?? 0) - (b.line ?? 0) ||
      (a.column ?? 0) - (b.column ?? 0),
  );
}
