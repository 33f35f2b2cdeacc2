import type { Shown } from './state-match.js';
import type { SeenState } from './timeline.js';

/** When something of a run was seen, if it was seen in another run of the same kind. */
export type Drift = (t: number) => number;

/**
 * How much a wait of the kubelet varies from run to run, in seconds: a sync is repeated after 10 to 15 s, and a relist comes
 * each second. These add up, so that a crash loop of an hour is minutes off.
 */
const JITTER = 6;
/** Of a wait: what is short has no sync in it. */
const PART = 0.5;
const LEAST_WAIT = 5;
/** A back-off ends with a sync after it: kubelets were seen to wait for half of it longer, of the first minute, and some seconds. */
const BACK_OFF = { part: 0.5, most: 60, more: 4 } as const;
const IN_BACK_OFF = /^(?:Init:)?(?:Error|Completed|OOMKilled|StartError|PostStartHookError)$/;

/** How much this wait of a run may differ from the one that was seen, in seconds. */
const jitterOf = (wait: number, after: Shown | undefined): number =>
  after !== undefined && IN_BACK_OFF.test(after.status)
    ? BACK_OFF.part * Math.min(wait, BACK_OFF.most) + BACK_OFF.more
    : Math.min(JITTER, PART * wait);

/** Events come at most this long before the row that they lead to, in seconds. */
const AHEAD = 1.5;

/** Moves the states of a run to where they were seen, each as far from the one before as the kubelet's jitter reaches. */
export function driftOf(seen: readonly SeenState[], shown: readonly Shown[]): Drift {
  const steps: { readonly from: number; readonly by: number }[] = [];
  let by = 0;
  let before: Shown | undefined;
  for (const [state, each, previous] of matched(seen, shown)) {
    // When a kubelet says that it backs off depends on its last sync.
    if (each.status.endsWith('CrashLoopBackOff')) continue;
    const wait = each.from - (before?.from ?? 0);
    const jitter = jitterOf(wait, before);
    before = each;
    if (state.first === undefined || wait < LEAST_WAIT) continue;
    // It may have begun as soon as the one before was last seen, and lasts until it is seen itself.
    const least = Math.max(
      (previous?.last ?? previous?.first)?.from ?? state.first.from,
      state.first.from - (each.to - each.from),
    );
    const wanted = Math.min(Math.max(each.from + by, least), state.first.to) - each.from;
    if (Math.abs(wanted - by) > jitter) continue;
    by = wanted;
    steps.push({ from: each.from - AHEAD, by });
  }
  return (t) => t + (steps.findLast(({ from }) => from <= t)?.by ?? 0);
}

type Match = readonly [state: SeenState, shown: Shown, previous: SeenState | undefined];

/** States that were seen and that the run shows in the same order: each with the next equal one. */
function matched(seen: readonly SeenState[], shown: readonly Shown[]): Match[] {
  const matches: Match[] = [];
  let next = 0;
  for (const [index, state] of seen.entries()) {
    const found = shown.findIndex((each, at) => at >= next && isEqual(each, state));
    if (found < 0) continue;
    matches.push([state, shown[found] as Shown, seen[index - 1]]);
    next = found + 1;
  }
  return matches;
}

const isEqual = (a: Shown, b: SeenState): boolean =>
  a.status === b.status && a.restarts === b.restarts && a.ready === b.ready;

/** The states at the times to which they drift. */
export const drifted = (shown: readonly Shown[], drift: Drift): Shown[] =>
  shown.map((each, index) => ({
    ...each,
    from: drift(each.from),
    to:
      index === shown.length - 1
        ? Math.max(each.to, drift(each.from))
        : drift((shown[index + 1] as Shown).from),
  }));
