import { type Perturbation, scheduled } from '../../explore/catalog/perturbation.js';
import { firstOfEach } from '../../input/first-of-each.js';
import type { Observation } from '../observation.js';
import { causeKey } from './cause-key.js';
import type { PlannedRun } from './evaluate.js';
import { byHints } from './hints.js';
import { plan, type Result, ROUND, runId, type Trials, worth } from './trials.js';

/** Pairs that are tried with one perturbation. */
const MOST_PAIRS = 6 * ROUND;
/** How many begin pairs because they fit best, and how many because they agree longest. */
const BEGINS = 3;

/** What pairs are made of. */
export interface PairParts {
  readonly trials: Trials;
  readonly seen: Observation;
  /** Perturbations that what was seen shows by itself. */
  readonly evidence: readonly Perturbation[];
  /** Perturbations of one run, at most. */
  readonly depth: number;
}

/** A second perturbation with what fits best now, in turn with each: the next pairs of the one that has the fewest. */
export function nextPairs(parts: PairParts): PlannedRun[] {
  const { isTried } = parts.trials;
  const waiting = beginsOf(parts).flatMap((begin) => {
    const pairs = pairsWith(begin, parts).slice(0, MOST_PAIRS);
    const fresh = pairs.filter((each) => !isTried(each));
    return fresh.length === 0 ? [] : [{ fresh, tried: pairs.length - fresh.length }];
  });
  return waiting.sort((a, b) => a.tried - b.tried)[0]?.fresh ?? [];
}

/** Pairs begin with what fits best, and with what agrees longest: the first of two faults explains the beginning. */
function beginsOf({ trials, depth }: PairParts): Result[] {
  const longest = trials.all().sort((a, b) => agreesUntil(b) - agreesUntil(a) || worth(b) - worth(a));
  const kinds = firstOfEach(longest, ({ planned: { schedule } }) => causeKey(schedule));
  return firstOfEach([...trials.bestCauses(BEGINS), ...kinds.slice(0, BEGINS)], ({ planned }) =>
    runId(planned),
  ).filter(({ planned: { schedule } }) => schedule.length > 0 && schedule.length < depth);
}

const pairsWith = ({ planned, next }: Result, { evidence, seen }: PairParts): PlannedRun[] =>
  [...evidence, ...byHints(next, seen)]
    .map((each) => plan(planned, scheduled([...planned.schedule, each])))
    .filter(isPair);

const agreesUntil = ({ deviation }: Result): number => deviation ?? Number.POSITIVE_INFINITY;

const isPair = ({ schedule }: PlannedRun): boolean =>
  new Set(schedule.map(({ id }) => id)).size === schedule.length;
