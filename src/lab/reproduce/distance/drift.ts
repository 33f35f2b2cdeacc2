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
  // When a kubelet says that it backs off depends on its last sync: the wait begins with the end before it.
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

/** When a state must begin to be seen: it may have begun as soon as the one before was last seen, and lasts until it is seen itself. */
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

/** How much these waits, one after the other until a change, may differ together; those from the beginning, also the one before them. */
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

/** States that were seen and that the run shows in the same order: each with the next equal one. */
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
