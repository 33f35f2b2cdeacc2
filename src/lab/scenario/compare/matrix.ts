import { counted } from '../../../base/input/counted.js';
import { inColumns } from '../../../base/markup/columns.js';
import { kubeletChanges } from '../../../kubelet/config/changes.js';
import { clockText } from '../output/clock-text.js';
import type { SimulatedRow, Simulation } from '../run/run.js';
import { type ComparedRow, compareRuns, minorOf } from './comparison.js';

/** A kubelet with a runtime, or an upgrade of a kubelet. */
export interface Pair {
  /** `1.36`, `1.37.2`, `1.33 (thin)`, or `1.30→1.31`. */
  readonly kubelet: string;
  readonly runtime: string;
  /** Minor versions: of the kubelet it is compared with, and of the kubelet at the end. */
  readonly versions: readonly [from: string, to: string];
  /** Seconds until the upgrade. */
  readonly upgradedAt?: number | undefined;
}

export interface PairResult extends Pick<Pair, 'kubelet' | 'runtime'> {
  /** `base` is compared with nothing; an upgrade can be `like a restart` of the old kubelet. */
  readonly verdict: 'base' | 'same' | 'differs' | 'like a restart' | 'crash' | 'not run';
  /** The first difference, the effects of an upgrade, or why it crashed. */
  readonly what?: string;
  /** The changes of the kubelet that explain a difference, or all that can. */
  readonly changes?: readonly string[];
}

export interface JudgedRuns {
  readonly run: Simulation;
  /** The run of the pair that it is compared with. */
  readonly base: Simulation | undefined;
  /** For an upgrade: the old kubelet restarts instead. */
  readonly restarted?: Simulation | undefined;
}

/** Compares the run of a pair with another pair's; an upgrade with a run without it, and with a restart. */
export function judgePair(pair: Pair, { run, base, restarted }: JudgedRuns): PairResult {
  const { kubelet, runtime, upgradedAt } = pair;
  const named = { kubelet, runtime };
  if (base === undefined) return { ...named, verdict: 'base' };
  const exit = exitsOf(run)[exitsOf(base).length];
  if (exit !== undefined)
    return { ...named, verdict: 'crash', what: `the kubelet exits at ${exit.t} s: ${exit.text}` };
  if (upgradedAt !== undefined) return judgeUpgrade(pair, upgradedAt, { run, base, restarted });
  const what = firstDifference(run, base);
  if (what === undefined) return { ...named, verdict: 'same' };
  return { ...named, verdict: 'differs', what, changes: explaining(what, pair.versions) };
}

/** What an upgrade does beyond a restart; without `restarted`, what a restart does. */
function judgeUpgrade(
  { kubelet, runtime, versions }: Pair,
  at: number,
  { run, base, restarted }: JudgedRuns & { readonly base: Simulation },
): PairResult {
  const named = { kubelet, runtime };
  const all = effects(run, base, at);
  if (all.length === 0) return { ...named, verdict: 'same' };
  const known = restarted === undefined ? [] : effects(restarted, base, at);
  const more = all.filter((effect) => !known.includes(effect));
  if (more.length === 0) return { ...named, verdict: 'like a restart' };
  const what = more.join(', ');
  return { ...named, verdict: 'differs', what, changes: explaining(what, versions) };
}

const exitsOf = ({ kubelets }: Simulation) => kubelets.filter(({ what }) => what === 'exited');

/** Differences in time alone can be chance, so they come last. */
const ONLY_TIME = 'only in time: ';

/** The first row that only one of the runs has, otherwise the first event, otherwise the first row at another time. */
function firstDifference(run: Simulation, base: Simulation): string | undefined {
  const compared = [base, run].map((result, index) => ({ name: String(index), version: '', result }));
  const { rows, events } = compareRuns(compared);
  const differing = rows.filter(({ differs }) => differs);
  const missing = differing.find(({ times }) => times.includes(null));
  if (missing !== undefined) return rowText(missing);
  const [event] = events;
  if (event !== undefined) {
    const [before, now] = event.counts;
    return `event ${event.reason} of ${event.pod} ${now}× (there ${before}×): ${event.message}`;
  }
  const [late] = differing;
  return late && `${ONLY_TIME}${rowText(late)}`;
}

function rowText({ pod, ready, status, restarts, times: [before = null, now = null] }: ComparedRow): string {
  const state = `${pod} ${ready} ${status} with ${counted(restarts, 'restart')}`;
  if (now === null) return `no ${state} (there at ${clockText(before ?? 0)})`;
  return `${state} at ${clockText(now)} (there ${before === null ? 'never' : `at ${clockText(before)}`})`;
}

/** What happens to containers and pods after an upgrade, and not without one; sorted. */
function effects(run: Simulation, base: Simulation, at: number): string[] {
  const before = startsAfter(base, at);
  const restarted = [...startsAfter(run, at)].filter(([name, count]) => count > (before.get(name) ?? 0));
  const unready = [...new Set(run.rows.map(({ pod }) => pod))].filter(
    (pod) => leastReady(run, pod, at) < leastReady(base, pod, at),
  );
  const hashes = (result: Simulation) =>
    result.events.filter(({ t, message }) => t >= at && message.includes('definition changed')).length;
  return [
    ...restarted.map(([name]) => `restarts ${name}`).sort(),
    ...unready.map((pod) => `not Ready: ${pod}`).sort(),
    ...(hashes(run) > hashes(base) ? ['hashes of containers change'] : []),
  ];
}

function startsAfter({ containerEvents }: Simulation, at: number): ReadonlyMap<string, number> {
  const starts = new Map<string, number>();
  for (const { t, what, pod, container } of containerEvents) {
    const name = `${pod}/${container}`;
    if (what === 'started' && t >= at) starts.set(name, (starts.get(name) ?? 0) + 1);
  }
  return starts;
}

/** The fewest ready containers of a pod after this time. */
function leastReady({ rows }: Simulation, pod: string, at: number): number {
  const own = rows.filter((row) => row.pod === pod);
  const after = own.filter(({ t }) => t >= at);
  const count = ({ ready }: SimulatedRow) => Number.parseInt(ready, 10);
  return Math.min(...[...own.filter(({ t }) => t < at).slice(-1), ...after].map(count));
}

/** Changes between two versions, in either direction: those that show as this difference, or else all. */
function explaining(what: string, [a, b]: Pair['versions']): string[] {
  const [from, to] = [minorOf(a), minorOf(b)].sort((x, y) => x - y);
  const changes = Object.entries(kubeletChanges())
    .filter(([version]) => minorOf(version) > (from ?? 0) && minorOf(version) <= (to ?? 0))
    .flatMap(([version, each]) => each.map((change) => ({ ...change, text: `${version}: ${change.what}` })));
  const shown = changes.filter(({ shows }) => shows !== undefined && new RegExp(shows).test(what));
  const possible = what.startsWith(ONLY_TIME) ? [] : changes;
  return (shown.length > 0 ? shown : possible).map(({ text }) => text);
}

/** A row for each kubelet or upgrade and a column for each runtime; numbers refer to the differences below. */
export function matrixLines(results: readonly PairResult[], head: string, legend: string): string[] {
  const columns = [...new Set(results.map(({ runtime }) => runtime))];
  const rows = [...new Set(results.map(({ kubelet }) => kubelet))];
  const notes: { readonly text: string; readonly of: PairResult[] }[] = [];
  const noted = (result: PairResult): string => {
    if (result.what === undefined) return result.verdict;
    const text = noteText(result);
    const known = notes.find((note) => note.text === text);
    if (known === undefined) notes.push({ text, of: [result] });
    else known.of.push(result);
    return `${result.verdict} [${known === undefined ? notes.length : notes.indexOf(known) + 1}]`;
  };
  const table = rows.map((row) => [
    row,
    ...columns.map((column) => {
      const result = results.find(({ kubelet, runtime }) => kubelet === row && runtime === column);
      return result === undefined ? '' : noted(result);
    }),
  ]);
  return [
    ...inColumns([[head, ...columns], ...table]),
    '',
    legend,
    ...notes.map(({ text, of }, index) => `[${index + 1}] ${namesOf(of)}: ${text}`),
  ];
}

/** More changes than these explain nothing; `--json` has all. */
const MOST_CHANGES = 5;

function noteText({ what = '', changes = [] }: PairResult): string {
  if (changes.length === 0) return what;
  const known =
    changes.length > MOST_CHANGES
      ? `one of the ${changes.length} changes in ${changes[0]?.split(':')[0]} to ${changes.at(-1)?.split(':')[0]}`
      : changes.join('; ');
  return `${what}; changed: ${known}`;
}

function namesOf(results: readonly PairResult[]): string {
  const [first] = results;
  const more = results.length > 1 ? ` and ${results.length - 1} more` : '';
  return `${first?.kubelet}${first?.kubelet.endsWith('→') ? '' : ','} ${first?.runtime}${more}`;
}
