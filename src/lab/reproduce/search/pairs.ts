import { firstOfEach } from '../../../base/input/first-of-each.js';
import { type Perturbation, scheduled } from '../../explore/catalog/perturbation.js';
import type { Observation } from '../observation.js';
import { causeKey } from './cause-key.js';
import type { PlannedRun } from './evaluate.js';
import { byHints } from './hints.js';
import { plan, type Result, ROUND, runId, type Trials, worth } from './trials.js';

/** Pairs that are tried with one perturbation. */
const MOST_PAIRS = 10 * ROUND;
/** How many begin pairs because they fit best, and how many because they agree longest. */
const BEGINS = 3;

/** What pairs are made of. */
export interface PairParts {
  readonly trials: Trials;
  readonly seen: Observation;
  /** Runs with what was seen to fail, on each node; none when that explains nothing. */
  readonly grounds: readonly Result[];
  /** Perturbations that what was seen shows by itself. */
  readonly evidence: readonly Perturbation[];
  /** Perturbations of one run, at most. */
  readonly depth: number;
}

/** A second perturbation with what fits best now, in turn with each: the first one has most turns, the second one a quarter of them. */
export function nextPairs(parts: PairParts): PlannedRun[] {
  const { isTried } = parts.trials;
  const waiting = beginsOf(parts).flatMap((begin, index) => {
    const pairs = pairsWith(begin, parts).slice(0, MOST_PAIRS);
    const fresh = pairs.filter((each) => !isTried(each));
    return fresh.length === 0 ? [] : [{ fresh, had: (pairs.length - fresh.length) * (index + 1) ** 2 }];
  });
  return waiting.sort((a, b) => a.had - b.had)[0]?.fresh ?? [];
}

/** Pairs begin with what was seen to fail, with what fits best, and with what agrees longest: the first of two faults explains the beginning. */
function beginsOf({ trials, grounds, depth }: PairParts): Result[] {
  const longest = trials.all().sort((a, b) => agreesUntil(b) - agreesUntil(a) || worth(b) - worth(a));
  const kinds = firstOfEach(longest, ({ planned: { schedule } }) => causeKey(schedule));
  const begins = [...grounds.map(trials.latest), ...trials.bestCauses(BEGINS), ...kinds.slice(0, BEGINS)];
  return firstOfEach(begins, ({ planned }) => runId(planned)).filter(
    ({ planned: { schedule } }) => schedule.length > 0 && schedule.length < depth,
  );
}

/** The pairs of a run; first, it must say what can go wrong next. */
const pairsWith = ({ planned, next }: Result, { evidence, seen, trials }: PairParts): PlannedRun[] =>
  next === null
    ? [plan(planned, planned.schedule, true)]
    : [...evidence, ...withEffectFirst(byHints(next, seen), trials)]
        .map((each) => plan(planned, scheduled([...planned.schedule, each])))
        .filter(isPair);

/** What shows nothing alone comes later. */
function withEffectFirst(next: readonly Perturbation[], trials: Trials): Perturbation[] {
  const alone = trials.all().filter(({ planned: { schedule } }) => schedule.length === 1);
  const effects = new Map<string, boolean>();
  for (const { planned, effect } of alone) {
    const kind = planned.schedule[0]?.kind ?? '';
    effects.set(kind, effects.get(kind) === true || effect !== null);
  }
  const isIdle = ({ kind }: Perturbation) => effects.get(kind) === false;
  return [...next.filter((each) => !isIdle(each)), ...next.filter(isIdle)];
}

const agreesUntil = ({ deviation }: Result): number => deviation ?? Number.POSITIVE_INFINITY;

const isPair = ({ schedule }: PlannedRun): boolean =>
  new Set(schedule.map(({ id }) => id)).size === schedule.length;
