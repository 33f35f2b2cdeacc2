import type { Shown } from './state-match.js';
import type { SeenState } from './timeline.js';

/** Converts a time of one run to the time at which a similar run would show it. */
export type Drift = (t: number) => number;

/**
 * Variation of the kubelet's waits between runs, in seconds: a sync is repeated after 10 to 15 s, and a relist happens
 * every second. These add up, so an hour of crash loop can be minutes off.
 */
const JITTER = 6;
/** As a fraction of the wait: a short wait contains no sync. */
const PART = 0.5;
const LEAST_WAIT = 5;
/** A back-off ends with a later sync: up to half of it, of its first minute, plus a few seconds. */
const BACK_OFF = { part: 0.5, most: 60, more: 4 } as const;
const IN_BACK_OFF = /^(?:Init:)?(?:Error|Completed|OOMKilled|StartError|PostStartHookError)$/;

/** How much this wait of a run may differ from the observed one, in seconds. */
const jitterOf = (wait: number, after: Shown | undefined): number =>
  after !== undefined && IN_BACK_OFF.test(after.status)
    ? BACK_OFF.part * Math.min(wait, BACK_OFF.most) + BACK_OFF.more
    : Math.min(JITTER, PART * wait);

/** Events precede the row that they lead to by at most this many seconds. */
const AHEAD = 1.5;

/** Moves a run's states to their observed times, as far from the previous state as the kubelet's jitter allows. */
export function driftOf(seen: readonly SeenState[], shown: readonly Shown[]): Drift {
  // When the kubelet reports a back-off depends on its last sync, so the wait starts with the end before it.
  const changes = shown.filter(({ status }) => !isBackOff(status));
  const steps: { readonly from: number; readonly by: number }[] = [];
  let by = 0;
  let before = -1;
  for (const { state, each, previous } of matched(seen, shown)) {
    if (isBackOff(each.status) && previous?.restarts === state.restarts) continue;
    const at = changes.findLastIndex(({ from }) => from <= each.from);
    const change = changes[at];
    if (change === undefined || at <= before) continue;
    const waits = changes.slice(Math.max(0, before), at);
    const wait = change.from - (before < 0 ? 0 : (waits[0]?.from ?? 0));
    const jitter = jitters(waits, before < 0, change);
    before = at;
    if (state.first === undefined || wait < LEAST_WAIT) continue;
    for (const { from } of each === change ? [change] : [each, change]) {
      const wanted = wantedAt({ from, to: each.to }, state, previous, by) - from;
      if (Math.abs(wanted - by) > jitter) continue;
      by = wanted;
      steps.push({ from: change.from - AHEAD, by });
      break;
    }
  }
  return (t) => t + (steps.findLast(({ from }) => from <= t)?.by ?? 0);
}

/** Interval in which a state must begin: after the previous one was last seen, and before it was first seen itself. */
function wantedAt(
  { from, to }: Pick<Shown, 'from' | 'to'>,
  { first = { from, to: from } }: SeenState,
  previous: SeenState | undefined,
  by: number,
): number {
  const last = previous?.last ?? previous?.first;
  const least = Math.max(last?.from ?? (previous ? first.from : 0), first.from - (to - from));
  return Math.min(Math.max(from + by, least), first.to);
}

function jitters(waits: readonly Shown[], isFromBegin: boolean, change: Shown): number {
  const [first = change] = waits;
  const own = waits.map((each, index) => jitterOf((waits[index + 1] ?? change).from - each.from, each));
  return own.reduce((sum, each) => sum + each, isFromBegin ? jitterOf(first.from, undefined) : 0);
}

interface Match {
  readonly state: SeenState;
  readonly each: Shown;
  readonly previous: SeenState | undefined;
}

/** Observed states that the run shows in the same order, each matched with the next equal one. */
function matched(seen: readonly SeenState[], shown: readonly Shown[]): Match[] {
  const matches: Match[] = [];
  let next = 0;
  for (const [index, state] of seen.entries()) {
    const found = shown.findIndex((each, at) => at >= next && isEqual(each, state));
    if (found < 0) continue;
    matches.push({ state, each: shown[found] as Shown, previous: seen[index - 1] });
    next = found + 1;
  }
  return matches;
}

const isBackOff = (status: string): boolean => status.endsWith('CrashLoopBackOff');

const isEqual = (a: Shown, b: SeenState): boolean =>
  a.status === b.status && a.restarts === b.restarts && a.ready === b.ready;

export const drifted = (shown: readonly Shown[], drift: Drift): Shown[] =>
  shown.map((each, index) => ({
    ...each,
    from: drift(each.from),
    to:
      index === shown.length - 1
        ? Math.max(each.to, drift(each.from))
        : drift((shown[index + 1] as Shown).from),
  }));
