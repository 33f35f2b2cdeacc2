import { firstOfEach } from '../../../base/input/first-of-each.js';
import { type Perturbation, scheduled } from '../../explore/catalog/perturbation.js';
import type { Observation } from '../observation.js';
import type { PlannedRun } from './evaluate.js';
import { byHints } from './hints.js';
import { plan, type Result, ROUND, runId, type Trials } from './trials.js';

const MOST_PAIRS = 10 * ROUND;
/** Number of starting points with the best match, and with the longest agreement. */
const BEGINS = 3;

export interface PairParts {
  readonly trials: Trials;
  readonly seen: Observation;
  /** Runs with the observed failures, on each node; empty if they explain nothing. */
  readonly grounds: readonly Result[];
  /** Perturbations that follow from the observation. */
  readonly evidence: readonly Perturbation[];
  readonly depth: number;
}

/** Adds a second perturbation to the best runs in turn: the first gets most turns, the second a quarter of them. */
export function nextPairs(parts: PairParts): PlannedRun[] {
  const { isTried } = parts.trials;
  const waiting = beginsOf(parts).flatMap((begin, index) => {
    const pairs = pairsWith(begin, parts).slice(0, MOST_PAIRS);
    const fresh = pairs.filter((each) => !isTried(each));
    return fresh.length === 0 ? [] : [{ fresh, had: (pairs.length - fresh.length) * (index + 1) ** 2 }];
  });
  return waiting.sort((a, b) => a.had - b.had)[0]?.fresh ?? [];
}

/** From observed failures, best matches and longest agreement: the first of two faults explains the beginning. */
function beginsOf({ trials, grounds, depth }: PairParts): Result[] {
  const begins = [
    ...grounds.map(trials.latest),
    ...trials.bestCauses(BEGINS),
    ...trials.longestAgreeing(BEGINS),
  ];
  // A run that agrees to the end has nothing that a second fault could explain.
  return firstOfEach(begins, ({ planned }) => runId(planned)).filter(
    ({ planned: { schedule }, deviation }) =>
      schedule.length > 0 && schedule.length < depth && deviation !== null,
  );
}

const pairsWith = ({ planned, next }: Result, { evidence, seen, trials }: PairParts): PlannedRun[] =>
  next === null
    ? [plan(planned, planned.schedule, true)]
    : [...evidence, ...withEffectFirst(byHints(next, seen), trials)]
        .map((each) => plan(planned, scheduled([...planned.schedule, each])))
        .filter(isPair);

/** Perturbations that have no effect alone come last. */
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

const isPair = ({ schedule }: PlannedRun): boolean =>
  new Set(schedule.map(({ id }) => id)).size === schedule.length;
