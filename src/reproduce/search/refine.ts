import type { Schedule } from '../../explore/catalog/perturbation.js';
import { nodeStates } from '../distance/seen-states.js';
import type { Observation } from '../observation.js';
import { plan, type Result, SAME, type Trials } from './trials.js';
import { otherLengths, otherTimes, repeated } from './vary.js';

/** Times by which perturbations are also moved, in ms. */
const EARLIER_AND_LATER = [-5000, 5000, 15_000];
/** The same, once one of those was better. */
const AGAIN_EARLIER_AND_LATER = [-10_000, -2000, 2000, 10_000];
/** How often the best is changed again. */
const ROUNDS = 3;
/** What is better by less is not changed again. */
const LEAST_GAIN = 0.002;

/** Moves what was tried to where it takes effect when that was seen, and makes it last longer and shorter. */
export async function refineAll(
  trials: Trials,
  results: readonly Result[],
  until: number,
  seen: Observation,
  /** When what was seen deviates from a run without faults, in seconds. */
  deviation: number | null,
): Promise<void> {
  for (const result of results)
    if (result.planned.schedule.length > 0 && result.score < SAME)
      await refine(trials, result, until, seen, deviation ?? result.deviation);
}

async function refine(
  trials: Trials,
  result: Result,
  until: number,
  seen: Observation,
  deviation: number | null,
): Promise<void> {
  const { base, version } = result.planned;
  let best = result;
  for (let round = 0; round < ROUNDS; round++) {
    const { schedule } = best.planned;
    const shifts = round === 0 ? shiftsOf(result, deviation) : AGAIN_EARLIER_AND_LATER;
    const variants = [...otherTimes(schedule, shifts), ...otherLengths(schedule), ...again(schedule, seen)];
    const more = await trials.tryAll(
      variants.map((each) => plan(base, version, each)),
      until,
    );
    const better = more.reduce((a, b) => (b.score > a.score ? b : a), best);
    if (better === best || better.score < best.score + LEAST_GAIN) break;
    best = better;
  }
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
