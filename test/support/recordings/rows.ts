/** A row of `kubectl get pod` while it was shown. */
export interface ShownRow {
  /** Seconds since the pod's first row. */
  readonly t: number;
  /** `1/1 Running 0` */
  readonly text: string;
}

/** Shorter rows can be missing: the recorder reads /pods every 0.2 s, and later on a busy machine. In seconds. */
const SHORT = 0.5;
/**
 * A relist, and a read of /pods: the kubelet doesn't show a container's changes between two relists, so a row that
 * lasts from one to the next appears by chance.
 */
export const RELIST = 1.2;

/**
 * The first difference between two lists of a pod's rows; undefined if they agree up to the end of the shorter one.
 * Rows that lasted less than `shortest` seconds can be missing in either, and so can Pending before the first sync.
 */
export function rowDifference(
  ours: readonly ShownRow[],
  real: readonly ShownRow[],
  shortest = SHORT,
): string | undefined {
  if (ours.length === 0) return 'no rows';
  if (real.length === 0) return 'no rows are recorded';
  let furthest = [0, 0];
  /** Whether the rest of ours from `i` fits the rest of the real ones from `j`. */
  const fits = (i: number, j: number): boolean => {
    if (i + j > (furthest[0] ?? 0) + (furthest[1] ?? 0)) furthest = [i, j];
    if (i >= ours.length || j >= real.length) return true;
    if (ours[i]?.text === real[j]?.text) return fits(i + 1, j + 1);
    return (canMiss(ours, i, shortest) && fits(i + 1, j)) || (canMiss(real, j, shortest) && fits(i, j + 1));
  };
  if (fits(0, 0)) return undefined;
  const [i = 0, j = 0] = furthest;
  const show = (row: ShownRow | undefined) => (row === undefined ? 'no row' : `"${row.text}" at ${row.t} s`);
  return `row ${i + 1} is ${show(ours[i])}, was ${show(real[j])}`;
}

function canMiss(rows: readonly ShownRow[], index: number, shortest: number): boolean {
  const [row, next] = [rows[index], rows[index + 1]];
  if (row === undefined) return false;
  return / Pending /.test(row.text) || (next !== undefined && next.t - row.t < shortest);
}
