import type { Schedule } from '../../explore/catalog/perturbation.js';
import { nodeStates, statesByPod } from '../distance/seen-states.js';
import type { SeenState } from '../distance/timeline.js';
import type { Observation } from '../observation.js';
import { causeKey } from './cause-key.js';
import type { PlannedRun } from './evaluate.js';
import { PRICE, plan, type Result, SAME, type Trials } from './trials.js';
import { lastingUntil, otherCalls, otherLengths, otherTimes, repeated } from './vary.js';

/** Times by which perturbations are moved, in ms. */
const EARLIER_AND_LATER = [-5000, 5000, 15_000, -10_000, -2000, 2000, 10_000];

/** What is refined, and how. */
export interface RefineParts {
  readonly trials: Trials;
  readonly seen: Observation;
  /** When what was seen deviates from a run without faults, in seconds. */
  readonly deviation: number | null;
}

/** How often a cause was refined since that made it better, and how good it was before the last time. */
interface Refined {
  readonly turns: number;
  readonly from: number;
}

/**
 * Moves the best causes to where they take effect when that was seen, and makes them last longer and shorter: the next such
 * variants of the one that was refined least, or that became better by it.
 */
export function createRefine({ trials, seen, deviation }: RefineParts, most: number): () => PlannedRun[] {
  const refined = new Map<string, Refined>();
  const times = ({ planned: { schedule }, score }: Result) => {
    const { turns, from } = refined.get(causeKey(schedule)) ?? { turns: 0, from: score };
    return score > from + PRICE ? 0 : turns;
  };
  return () => {
    // Pairs of one good fault with anything would leave no turn to others.
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

/** When a pod or the node was seen to change, in ms. */
function changesOf(seen: Observation): number[] {
  const states: (readonly SeenState[])[] = [...statesByPod(seen).values(), nodeStates(seen.nodes)];
  const times = states.flatMap(([, ...later]) => later.flatMap(({ first }) => first?.from ?? []));
  return [...new Set(times.map((time) => Math.round(time * 1000)))].sort((a, b) => a - b);
}

/** Times by which a perturbation may have to move, in ms: so that it takes effect when that was seen, and a bit before. */
function shiftsOf({ effect }: Result, deviation: number | null): number[] {
  const shift = deviation === null || effect === null ? 0 : deviation * 1000 - effect;
  return [shift, shift - 1000, shift - 3000, shift - 8000, ...EARLIER_AND_LATER].map(Math.round);
}

/** What comes again and again: as often as the node was seen to change. */
function again(schedule: Schedule, { nodes }: Observation): Schedule[] {
  const falls = nodeStates(nodes).filter(
    ({ status, first }) => status === 'NotReady' && (first?.from ?? 0) > 5,
  );
  const [a, b] = falls;
  if (a?.first === undefined || b?.first === undefined) return [];
  const every = Math.round(b.first.from - a.first.from) * 1000;
  return every <= 0 ? [] : repeated(schedule, every, falls.length);
}
