import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { RELIST, rowDifference, type ShownRow } from './rows.js';

/** A line of a recording. */
interface RecordedRow {
  readonly t: number;
  readonly pod: string;
  readonly ready: string;
  readonly status: string;
  readonly restarts: number;
}

/** The rows of each pod in one run. */
export type RowRecording = ReadonlyMap<string, readonly ShownRow[]>;

/**
 * `alike`: the same rows, except for those of less than half a second. `relist`: the same, except for rows of at most
 * one relist, which appear by chance. `other`: other rows.
 */
export interface RowVerdict {
  readonly kind: 'alike' | 'relist' | 'other';
  /** The first difference from the best matching recording. */
  readonly difference: string;
}

/** The recorded runs of one kubelet, which differ in timing. `rows.jsonl` is the first. */
export const rowRecordings = (directory: URL): RowRecording[] =>
  readdirSync(directory)
    .filter((file) => /^rows(-\d+)?\.jsonl$/.test(file))
    .toSorted((a, b) => a.length - b.length || a.localeCompare(b))
    .map((file) => read(new URL(file, directory)));

function read(file: URL): RowRecording {
  const rows = new Map<string, ShownRow[]>();
  for (const line of readFileSync(file, 'utf8').trim().split('\n')) {
    const { t, pod, ready, status, restarts } = JSON.parse(line) as RecordedRow;
    const own = rows.get(pod) ?? [];
    rows.set(pod, own);
    own.push({ t, text: `${ready} ${status} ${restarts}` });
  }
  return rows;
}

/** Writes the run `number`, from 1 on. */
export function writeRowRecording(recording: RowRecording, directory: URL, number: number): void {
  const shown: RecordedRow[] = [...recording].flatMap(([pod, own]) =>
    own.map(({ t, text }) => {
      const [ready = '', status = '', restarts = ''] = text.split(' ');
      return { t: Number(t.toFixed(1)), pod, ready, status, restarts: Number(restarts) };
    }),
  );
  const lines = shown.toSorted((a, b) => a.t - b.t).map((row) => `${JSON.stringify(row)}\n`);
  mkdirSync(directory, { recursive: true });
  writeFileSync(new URL(number === 1 ? 'rows.jsonl' : `rows-${number}.jsonl`, directory), lines.join(''));
}

/** How the rows of a pod match the closest run. */
export function rowVerdict(
  pod: string,
  ours: readonly ShownRow[],
  recordings: readonly RowRecording[],
): RowVerdict {
  const among = (shortest?: number) =>
    recordings.map((recording) => rowDifference(ours, recording.get(pod) ?? [], shortest));
  const [strict, loose] = [among(), among(RELIST)];
  if (strict.includes(undefined)) return { kind: 'alike', difference: '' };
  const fitting = loose.indexOf(undefined);
  if (fitting >= 0) return { kind: 'relist', difference: strict[fitting] ?? '' };
  return { kind: 'other', difference: loose[0] ?? '' };
}
