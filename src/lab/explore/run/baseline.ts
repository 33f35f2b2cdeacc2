import { formatDuration } from '../../../base/input/duration.js';
import { goneAt } from '../../../tape/judge/kubelet/rule.js';
import type { Expected } from '../../scenario/file/expect-schema.js';
import type { SimulatedRow, Simulation } from '../../scenario/run/run.js';
import { endOf, type Schedule } from '../catalog/perturbation.js';

/** End state of the run without perturbations, which every other run must also reach. */
export interface Baseline {
  /** The last row of each pod that no longer changes, and how long it took to get there, in seconds. */
  readonly ends: readonly (SimulatedRow & { readonly took: number })[];
  /** When each deleted pod was gone, in seconds. */
  readonly gone: readonly { readonly pod: string; readonly t: number }[];
  readonly lists: number;
}

export const baselineRules = ['same-end', 'gone-in-time', 'same-pace'] as const;

export interface BaselineDifference {
  readonly name: (typeof baselineRules)[number];
  readonly pod: string;
  readonly message: string;
  readonly expect: Partial<Expected>;
}

/** A pod's last row counts as its end state after this time, in seconds. */
const STEADY = 30;
/**
 * Factor by which a pod may take longer than without perturbations: a failed end is repeated after a back-off. Only
 * what takes longer than half a minute, such as a slow pull, needs more time than a run has.
 */
const AGAIN = 3;
/** Last part of a run, in which the kubelet's pace is measured, in seconds. */
const PACE = 40;
/** How much more often the kubelet may list than in the baseline, and the number of lists that never count. */
const FASTER = 2;
const FEW_LISTS = 10;
/**
 * How much longer than in the baseline a deletion may take, in seconds: a failed sync is repeated after 10 to 15 s
 * (backOffPeriod), and a status that the kubelet waits for arrives with the next relist.
 */
const LATER = 20;

export const isBaselineRule = (rule: string): boolean => (baselineRules as readonly string[]).includes(rule);

/** Baseline of a scenario that ends after `end` seconds, from a longer run of it. */
export function baselineOf(run: Simulation, end: number): Baseline {
  const pods = [...new Set(run.rows.map(({ pod }) => pod))];
  const lastOf = (pod: string) => run.rows.filter((row) => row.pod === pod).at(-1);
  // Does not measure a short scenario while the kubelet starts.
  const paceEnd = Math.max(end, 2 * PACE);
  return {
    ends: pods.flatMap((pod) => {
      const last = lastOf(pod);
      const isSteady = last !== undefined && last.t <= end - STEADY;
      return isSteady && goneAt(run, pod) === undefined
        ? [{ ...last, took: last.t - stepBefore(run, last.t) }]
        : [];
    }),
    gone: pods.flatMap((pod) => {
      const t = goneAt(run, pod);
      return t === undefined || t > end ? [] : [{ pod, t }];
    }),
    lists: listsBetween(run, paceEnd - PACE, paceEnd),
  };
}

/** Time of the scenario's last step before a time, in seconds. */
const stepBefore = ({ steps }: Simulation, time: number): number =>
  Math.max(0, ...steps.filter(({ t }) => t < time).map(({ t }) => t));

const listsBetween = ({ calls }: Simulation, from: number, to: number): number =>
  calls.filter(({ rpc, t }) => rpc === 'ListPodSandbox' && t >= from && t <= to).length;

/** How a perturbed run of `end` seconds differs from the baseline after its last perturbation. */
export function differencesFrom(
  baseline: Baseline,
  run: Simulation,
  schedule: Schedule,
  end: number,
): BaselineDifference[] {
  const over = endOf(schedule) / 1000;
  return [
    ...missedEnds(baseline, run, end - over),
    ...lateEnds(baseline, run, schedule, end),
    ...busierPace(baseline, run, over, end),
  ];
}

/** A pod with less than this time left (in seconds) may not have finished. */
function missedEnds({ ends }: Baseline, run: Simulation, left: number): BaselineDifference[] {
  return ends.flatMap(({ pod, ready, status, took }): BaselineDifference[] => {
    if (left < AGAIN * took) return [];
    const last = run.rows.filter((row) => row.pod === pod).at(-1);
    if (last?.ready === ready && last.status === status) return [];
    const shown = last === undefined ? 'no row' : `${last.ready} ${last.status}, since ${last.t}s`;
    const message = `pod ${pod} ends with ${shown}; without the perturbations it ends with ${ready} ${status}`;
    return [{ name: 'same-end', pod, message, expect: { lastRow: [{ pod, ready, status }] } }];
  });
}

/** Perturbations before a deletion leave it enough time; later ones delay it by their duration. */
function lateEnds(
  { gone }: Baseline,
  run: Simulation,
  schedule: Schedule,
  end: number,
): BaselineDifference[] {
  return gone.flatMap(({ pod, t }): BaselineDifference[] => {
    const latest = Math.ceil(Math.max(t, endOf(schedule) / 1000) + LATER);
    if (latest > end) return [];
    const at = goneAt(run, pod);
    if (at !== undefined && at <= latest) return [];
    const actual = at === undefined ? 'is never gone' : `is gone at ${at}s`;
    const message = `deleted pod ${pod} ${actual}; without the perturbations it is gone at ${t}s, and ${formatDuration(latest * 1000)} would be allowed`;
    return [{ name: 'gone-in-time', pod, message, expect: { gone: [{ pod, within: [0, latest * 1000] }] } }];
  });
}

function busierPace({ lists }: Baseline, run: Simulation, over: number, end: number): BaselineDifference[] {
  const from = Math.floor(end - PACE);
  if (over > from) return [];
  const count = listsBetween(run, from, end);
  const most = Math.max(FEW_LISTS, lists * FASTER);
  if (count <= most) return [];
  const message = `the kubelet lists all pods ${count} times in the last ${PACE}s; without the perturbations it does so ${lists} times`;
  const calls = [
    { rpc: 'ListPodSandbox', count: { atMost: most }, within: [from * 1000, end * 1000] as [number, number] },
  ];
  return [{ name: 'same-pace', pod: '', message, expect: { calls } }];
}
