import { firstOfEach } from '../../../base/input/first-of-each.js';
import { type Schedule, scheduleId } from '../../explore/catalog/perturbation.js';
import { causeKey } from './cause-key.js';
import type { NodeChoice, PlannedRun, Tried } from './evaluate.js';
import { isSeen } from './seen-failure.js';

/** A run that was tried, and what it came to. */
export interface Result extends Tried {
  readonly planned: PlannedRun;
}

/** How runs are tried. */
export interface TrialParts {
  /** The results in the order of the runs; what the end of the budget leaves undone is missing. */
  readonly run: (runs: readonly PlannedRun[]) => Promise<readonly Result[]>;
  /** The part of the budget that is used up, from 0 to 1. */
  readonly used: () => number;
}

/** What a search has tried: each run once. */
export interface Trials {
  /** Tries those that are new, until the budget is used up. Returns their results. */
  tryAll(runs: readonly PlannedRun[]): Promise<Result[]>;
  /** Whether an equal run was tried, and has said what can go wrong next if that is asked. */
  isTried(planned: PlannedRun): boolean;
  /** The same result with what it was asked since. */
  latest(result: Result): Result;
  /** All results in the order of the runs. */
  all(): Result[];
  /** All results, the best first. */
  ranked(): Result[];
  /** The best result of each cause, of this many causes at most; `unseen` is the most faults that nobody has seen. */
  bestCauses(count: number, unseen?: number): Result[];
  /** Whether the best result leaves nothing to explain. */
  isEnough(): boolean;
  /** The part of the budget that is used up, from 0 to 1. */
  used(): number;
}

/** From this fit on a run shows what was seen. */
export const FITS = 0.95;
/** A run without faults that agrees so well needs no fault. */
export const SAME = 0.985;
/** Each perturbation has to explain at least this much: of two causes that explain as much, the simpler one is right. */
export const PRICE = 0.012;
/** Runs that are chosen together. */
export const ROUND = 16;

/**
 * How much better than a run without faults a run with one must fit. Rounded times and a kubelet that syncs every 10 to 15 s make two
 * runs of the same cause differ by this much. If no run fits, the observation itself is less certain.
 */
const CHANCE = { ofWhatFits: 0.03, ofTheRest: 0.08 } as const;

/** Whether no fault is needed although a run with one fits better: not by more than chance, and it explains nothing more. */
export function needsNoFaultBeside(
  plain: Pick<Tried, 'score' | 'unexplained'>,
  best: Pick<Tried, 'score' | 'unexplained'>,
): boolean {
  const isFitting = best.score >= FITS;
  if (plain.score < best.score - (isFitting ? CHANCE.ofWhatFits : CHANCE.ofTheRest)) return false;
  return (
    (isFitting && plain.score >= FITS) || plain.unexplained.every((each) => best.unexplained.includes(each))
  );
}

/** What two faults explain more than one may be chance: each further one that nobody has seen costs this. */
const COINCIDENCE = 0.03;

/** How good a result is, with what its perturbations cost. A failure that was seen is no coincidence. */
export function worth({ score, planned: { schedule } }: Pick<Result, 'score' | 'planned'>): number {
  return score - PRICE * schedule.length - COINCIDENCE * Math.max(0, unseenOf(schedule) - 1);
}

/** How many of its faults nobody has seen. */
const unseenOf = (schedule: Schedule): number => schedule.filter((each) => !isSeen(each)).length;

/** Nothing is tried yet. */
export function createTrials({ run, used }: TrialParts): Trials {
  const found = new Map<string, Result>();
  const isTried = (planned: PlannedRun) => isAnswered(planned, found.get(runId(planned)));
  const all = () => [...found.values()];
  const ranked = () => all().sort((a, b) => worth(b) - worth(a));
  return {
    tryAll: async (runs) => {
      const fresh = runs.filter((planned) => !isTried(planned));
      const results: Result[] = [];
      for (let at = 0; at < fresh.length && used() < 1; at += ROUND)
        for (const result of await run(fresh.slice(at, at + ROUND))) {
          found.set(runId(result.planned), result);
          results.push(result);
        }
      return results;
    },
    isTried,
    latest: (result) => found.get(runId(result.planned)) ?? result,
    all,
    ranked,
    bestCauses: (count, unseen = Number.POSITIVE_INFINITY) =>
      firstOfEach(
        ranked().filter(({ planned: { schedule } }) => unseenOf(schedule) <= unseen),
        ({ planned: { schedule } }) => causeKey(schedule),
      ).slice(0, count),
    isEnough: () => (ranked()[0]?.score ?? 0) >= SAME,
    used,
  };
}

/** A run with a schedule; `extend` asks it for what can go wrong next. */
export const plan = (
  { base, version, runtime }: NodeChoice & Pick<PlannedRun, 'base'>,
  schedule: Schedule,
  extend = false,
): PlannedRun => ({ base, version, runtime, schedule, extend });

/** Whether a run that was tried says all that a planned one is asked. */
export const isAnswered = ({ extend }: PlannedRun, tried: Tried | undefined): tried is Tried =>
  tried !== undefined && (!extend || tried.next !== null);

/** Equal for equal runs. */
export const runId = ({ base, version, runtime, schedule }: PlannedRun): string =>
  `${base} ${version} ${runtime} ${scheduleId(schedule)}`;
