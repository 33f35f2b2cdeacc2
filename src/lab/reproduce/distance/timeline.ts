import { greatest, least } from '../extremes.js';
import type { Span } from '../facts.js';
import { alike, common, type Shown, withOneWait } from './state-match.js';
import { tolerance } from './tolerance.js';

export interface SeenState {
  readonly first: Span | undefined;
  readonly last: Span | undefined;
  readonly ready: string;
  readonly status: string;
  readonly restarts: number;
  /** When the last restart was, if the row says it. */
  readonly restarted?: Span | undefined;
}

export interface TimelineMatch {
  readonly score: number;
  readonly weight: number;
  /** When they first disagree, in seconds. */
  readonly deviation: number;
  readonly unexplained: readonly SeenState[];
}

/** Samples per state; more add nothing. */
const POINTS = 5;
/** States whose times match less than this count as unexplained. */
const AGREES = 0.8;
/** Share of the score for states at their times; the rest is for their order. */
const BY_TIME = 0.55;

export function matchTimeline(seen: readonly SeenState[], shown: readonly Shown[]): TimelineMatch {
  const scores = seen.map((state) => scoreOf(state, shown));
  const weights = seen.map(weightOf);
  const total = weights.reduce((sum, each) => sum + each, 0);
  const timed =
    scores.reduce((sum, score, index) => sum + score * (weights[index] ?? 0), 0) / Math.max(1e-9, total);
  const observed = watched(seen, shown);
  const order = orderOf(seen, observed);
  const unexplained = seen.filter((_, index) => (scores[index] ?? 0) < AGREES);
  const first = seen.findIndex((_, index) => (scores[index] ?? 0) < AGREES);
  const missed = order < 0.999 ? firstUnseen(seen, observed) : Number.POSITIVE_INFINITY;
  return {
    score: BY_TIME * timed + (1 - BY_TIME) * order,
    weight: Math.log2(1 + seen.length),
    deviation: Math.min(missed, first < 0 ? Number.POSITIVE_INFINITY : (seen[first]?.first?.to ?? 0)),
    unexplained,
  };
}

/** Share of states in the same order. Short states count only if they were observed. */
function orderOf(seen: readonly SeenState[], observed: readonly Shown[]): number {
  const states = withOneWait(seen);
  const shown = withOneWait(observed);
  const long = shown.filter(isLong);
  const all = common(states, shown);
  const short = all - common(states, long);
  return (2 * all) / Math.max(1, states.length + long.length + short);
}

/** Long states weigh more, but a minute does not weigh sixty times as much as a second. */
const weightOf = ({ first, last }: SeenState): number =>
  1 + Math.log2(1 + Math.max(0, (last?.to ?? 0) - (first?.from ?? 0))) / 3;

/** Mean, over sampled points, of the time in which the state was observed. */
function scoreOf(state: SeenState, shown: readonly Shown[]): number {
  const { first, last = first } = state;
  if (first === undefined || last === undefined)
    return Math.max(0, ...shown.map((each) => alike(state, each)));
  const count = last.to - first.from > 2 ? POINTS : 1;
  let sum = 0;
  for (let index = 0; index < count; index++) {
    const part = count === 1 ? 0 : index / (count - 1);
    const from = first.from + (last.from - first.from) * part;
    const to = first.to + (last.to - first.to) * part;
    sum += bestNear(state, shown, from, to);
  }
  return sum / count;
}

/** Best match within the tolerance of a time; lower for states that only come near it. */
function bestNear(state: SeenState, shown: readonly Shown[], from: number, to: number): number {
  const slack = tolerance(from);
  let best = 0;
  for (const each of shown) {
    const gap = Math.max(0, each.from - to, from - each.to);
    const near = gap <= slack ? 1 : gap <= 4 * slack ? 0.5 : gap <= 12 * slack ? 0.2 : 0;
    if (near > 0) best = Math.max(best, near * alike(state, each));
  }
  return best;
}

/** The run as the observer would have seen it: its states at the same times, or all in between. */
function watched(seen: readonly SeenState[], shown: readonly Shown[]): Shown[] {
  const timed = seen.filter(({ first }) => first !== undefined);
  if (timed.length === 0) return seen.length === 1 ? mostAlike(seen[0] as SeenState, shown) : [...shown];
  const slack = tolerance(timed.at(-1)?.last?.to ?? 0);
  // Interval in which somebody certainly watched: a single observation at an uncertain time shows one state.
  const from = least(timed.map(({ first }) => first?.to ?? 0));
  const to = greatest(timed.map(({ first, last = first }) => last?.from ?? 0));
  const isBetween = (each: Shown) =>
    // A state that ends as the observer starts may be over by then.
    from - LOOK <= to && (each.to > from + slack || each === shown.at(-1)) && each.from <= to + LOOK;
  // A state shorter than the interval between two observations may be missed.
  return shown.filter(
    (each) =>
      (isLong(each) && isBetween(each)) ||
      timed.some((state) => alike(state, each) > 0.99 && isAt(state, each, slack)),
  );
}

/** A single look at an unknown time has seen one state. */
const mostAlike = (state: SeenState, shown: readonly Shown[]): Shown[] =>
  [...shown].sort((a, b) => alike(state, b) - alike(state, a)).slice(0, 1);

/** Times are rounded to whole seconds. */
const LOOK = 1.001;

/** States shorter than this, in seconds, may have been missed. */
const MISSED = 3;

const isLong = ({ from, to }: Shown): boolean => to - from > MISSED;

const isAt = ({ first, last = first }: SeenState, { from, to }: Shown, slack: number): boolean =>
  first !== undefined && last !== undefined && from <= last.to + slack && to >= first.from - slack;

function firstUnseen(seen: readonly SeenState[], observed: readonly Shown[]): number {
  for (const each of observed) {
    const slack = tolerance(each.from);
    const agrees = seen.some((state) => alike(state, each) > 0.9 && isAt(state, each, 2 * slack));
    if (!agrees) return each.from;
  }
  return Number.POSITIVE_INFINITY;
}
