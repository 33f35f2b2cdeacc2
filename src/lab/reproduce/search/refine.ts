import type { Schedule } from '../../explore/catalog/perturbation.js';
import { nodeStates, statesByPod } from '../distance/seen-states.js';
import type { SeenState } from '../distance/timeline.js';
import type { Observation } from '../observation.js';
import { causeKey } from './cause-key.js';
import type { PlannedRun } from './evaluate.js';
import { PRICE, plan, type Result, SAME, type Trials } from './trials.js';
import { lastingUntil, otherCalls, otherLengths, otherTimes, repeated } from './vary.js';

/** Shifts in ms. */
const EARLIER_AND_LATER = [-5000, 5000, 15_000, -10_000, -2000, 2000, 10_000];

export interface RefineParts {
  readonly trials: Trials;
  readonly seen: Observation;
  /** When the observation deviates from a run without faults, in seconds. */
  readonly deviation: number | null;
}

interface Refined {
  readonly turns: number;
  readonly from: number;
}

/**
 * Shifts the best causes so that their effect matches the observed time, and changes durations: the next variants of
 * the one that was refined least, or that has improved.
 */
export function createRefine({ trials, seen, deviation }: RefineParts, most: number): () => PlannedRun[] {
  const refined = new Map<string, Refined>();
  const times = ({ planned: { schedule }, score }: Result) => {
    const { turns, from } = refined.get(causeKey(schedule)) ?? { turns: 0, from: score };
    return score > from + PRICE ? 0 : turns;
  };
  return () => {
    // Otherwise pairs of one good fault with anything else would take all turns.
    const best = [...trials.bestCauses(most, 1), ...trials.bestCauses(most)].filter(isToRefine);
    for (const result of best.sort((a, b) => times(a) - times(b))) {
      const fresh = variantsOf(result, seen, deviation ?? result.deviation).filter(
        (each) => !trials.isTried(each),
      );
      if (fresh.length === 0) continue;
      refined.set(causeKey(result.planned.schedule), { turns: times(result) + 1, from: result.score });
      return fresh;
    }
    return [];
  };
}

const isToRefine = ({ planned: { schedule }, score }: Result): boolean => schedule.length > 0 && score < SAME;

function variantsOf(result: Result, seen: Observation, deviation: number | null): PlannedRun[] {
  const { schedule } = result.planned;
  return [
    ...lastingUntil(schedule, changesOf(seen)),
    ...otherCalls(schedule),
    ...otherTimes(schedule, shiftsOf(result, deviation)),
    ...otherLengths(schedule),
    ...again(schedule, seen),
  ].map((each) => plan(result.planned, each));
}

/** Observed changes of a pod or the node, in ms. */
function changesOf(seen: Observation): number[] {
  const states: (readonly SeenState[])[] = [...statesByPod(seen).values(), nodeStates(seen.nodes)];
  const times = states.flatMap(([, ...later]) => later.flatMap(({ first }) => first?.from ?? []));
  return [...new Set(times.map((time) => Math.round(time * 1000)))].sort((a, b) => a - b);
}

/** Shifts in ms that align a perturbation's effect with its observed time, or slightly before. */
function shiftsOf({ effect }: Result, deviation: number | null): number[] {
  const shift = deviation === null || effect === null ? 0 : deviation * 1000 - effect;
  return [shift, shift - 1000, shift - 3000, shift - 8000, ...EARLIER_AND_LATER].map(Math.round);
}

function again(schedule: Schedule, { nodes }: Observation): Schedule[] {
  const falls = nodeStates(nodes).filter(
    ({ status, first }) => status === 'NotReady' && (first?.from ?? 0) > 5,
  );
  const [a, b] = falls;
  if (a?.first === undefined || b?.first === undefined) return [];
  const every = Math.round(b.first.from - a.first.from) * 1000;
  return every <= 0 ? [] : repeated(schedule, every, falls.length);
}
