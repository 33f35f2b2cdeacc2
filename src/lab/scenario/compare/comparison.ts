import { type Aligned, align } from '../../../base/input/align.js';
import { withoutTimes } from '../../../base/input/without-times.js';
import { kubeletChanges } from '../../../kubelet/config/changes.js';
import type { SimulatedRow, Simulation } from '../run/run.js';

export interface ComparedRun {
  /** For example `1.36`, or `containerd-2.4`. */
  readonly name: string;
  readonly version: string;
  readonly result: Simulation;
}

/** A row of one or several runs; `differs` if some lack it or have it at another time. */
export interface ComparedRow extends Omit<SimulatedRow, 't'> {
  /** Seconds by column; null if a column lacks it. */
  readonly times: readonly (number | null)[];
  readonly differs: boolean;
}

export interface ComparedEvent {
  readonly pod: string;
  readonly reason: string;
  readonly message: string;
  readonly counts: readonly number[];
}

export interface Comparison {
  /** Names of runs with equal rows and events, by column. */
  readonly columns: readonly (readonly string[])[];
  readonly rows: readonly ComparedRow[];
  readonly events: readonly ComparedEvent[];
  /** Kubelet changes from one column to the next. */
  readonly changes: readonly { readonly version: string; readonly what: readonly string[] }[];
}

/** In seconds: rows this close are simultaneous, because a relist happens every second. */
const NEAR = 1.5;

export function compareRuns(runs: readonly ComparedRun[]): Comparison {
  const columns: ComparedRun[][] = [];
  for (const run of runs) {
    const same = columns.find(([first]) => first !== undefined && areEqual(first.result, run.result));
    if (same === undefined) columns.push([run]);
    else same.push(run);
  }
  const shown = columns.flatMap(([first]) => first ?? []);
  const results = shown.map(({ result }) => result);
  return {
    columns: columns.map((column) => column.map(({ name }) => name)),
    rows: rowsOf(results),
    events: eventsOf(results),
    changes: changesBetween(columns),
  };
}

function areEqual(one: Simulation, other: Simulation): boolean {
  return rowsOf([one, other]).every(({ differs }) => !differs) && eventsOf([one, other]).length === 0;
}

const keyOf = ({ pod, ready, status, restarts }: SimulatedRow): string =>
  `${pod} ${ready} ${status} ${restarts}`;

function rowsOf(results: readonly Simulation[]): ComparedRow[] {
  const pods = [...new Set(results.flatMap(({ rows }) => rows.map(({ pod }) => pod)))];
  const aligned = pods.flatMap((pod) =>
    align(
      results.map(({ rows }) => rows.filter((row) => row.pod === pod)),
      keyOf,
    ),
  );
  return aligned.map(comparedRow).sort((a, b) => firstTime(a) - firstTime(b));
}

function comparedRow({ item, found }: Aligned<SimulatedRow>): ComparedRow {
  const { pod, ready, status, restarts } = item;
  const times = found.map((row) => row?.t ?? null);
  const known = times.filter((time) => time !== null);
  const differs = known.length < times.length || Math.max(...known) - Math.min(...known) > NEAR;
  return { pod, ready, status, restarts, times, differs };
}

const firstTime = ({ times }: ComparedRow): number => Math.min(...times.filter((time) => time !== null));

function eventsOf(results: readonly Simulation[]): ComparedEvent[] {
  const counts = new Map<
    string,
    { readonly event: Omit<ComparedEvent, 'counts'>; readonly counts: number[] }
  >();
  for (const [index, { events }] of results.entries())
    for (const { pod, reason, message } of events) {
      const text = withoutTimes(message).replace(/\b[0-9a-f]{12,64}\b/g, '<id>');
      const key = `${pod} ${reason} ${text}`;
      const known = counts.get(key) ?? {
        event: { pod, reason, message: text },
        counts: results.map(() => 0),
      };
      known.counts[index] = (known.counts[index] ?? 0) + 1;
      counts.set(key, known);
    }
  return [...counts.values()]
    .filter((each) => new Set(each.counts).size > 1)
    .map(({ event, counts: own }) => ({ ...event, counts: own }));
}

function changesBetween(columns: readonly (readonly ComparedRun[])[]): Comparison['changes'] {
  const order = columns.flat().map(({ version }) => version);
  const runs = [...columns.entries()]
    .flatMap(([column, all]) => all.map(({ version }) => ({ column, version })))
    .sort((a, b) => minorOf(a.version) - minorOf(b.version));
  if (new Set(order).size < 2) return [];
  return runs.flatMap(({ column, version }, index) => {
    const before = runs[index - 1];
    if (before === undefined || before.column === column) return [];
    return Object.entries(kubeletChanges())
      .filter(([each]) => minorOf(each) > minorOf(before.version) && minorOf(each) <= minorOf(version))
      .map(([each, changes]) => ({ version: each, what: changes.map(({ what }) => what) }));
  });
}

export const minorOf = (version: string): number => Number(version.slice(2));
