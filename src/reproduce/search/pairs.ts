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

/** Tries a second perturbation with what fits best, in turn with each. */
export async function tryPairs(parts: PairParts, until: number): Promise<void> {
  const { trials } = parts;
  const plans = beginsOf(parts).map((begin) => pairsWith(begin, parts));
  for (let at = 0; at < MOST_PAIRS && trials.used() < until; at += ROUND)
    for (const each of plans) await trials.tryAll(each.slice(at, at + ROUND), until);
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
    .map((each) => plan(planned.base, planned.version, scheduled([...planned.schedule, each])))
    .filter(isPair);

const agreesUntil = ({ deviation }: Result): number => deviation ?? Number.POSITIVE_INFINITY;

const isPair = ({ schedule }: PlannedRun): boolean =>
  new Set(schedule.map(({ id }) => id)).size === schedule.length;
