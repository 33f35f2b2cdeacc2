import { firstOfEach } from '../../../base/input/first-of-each.js';
import { append } from '../../../base/input/group-by.js';
import { type Schedule, scheduleId } from '../../explore/catalog/perturbation.js';
import { causeKey } from './cause-key.js';
import type { NodeChoice, PlannedRun, Tried } from './evaluate.js';
import { isSeen } from './seen-failure.js';

export interface Result extends Tried {
  readonly planned: PlannedRun;
}

export interface TrialParts {
  /** Resolves with results in the order of the runs, without those that exceed the budget. */
  readonly run: (runs: readonly PlannedRun[]) => Promise<readonly Result[]>;
  /** Used part of the budget, from 0 to 1. */
  readonly used: () => number;
}

export interface Trials {
  tryAll(runs: readonly PlannedRun[]): Promise<Result[]>;
  /** Whether an equal run was tried, including its next perturbations if requested. */
  isTried(planned: PlannedRun): boolean;
  /** Whether a fault of the same kind, within moments, made the match much worse than no fault. */
  isPoor(planned: PlannedRun): boolean;
  latest(result: Result): Result;
  all(): Result[];
  /** The best first; `unseen` limits the number of unobserved faults. */
  ranked(unseen?: number): Result[];
  /** The best result of each cause, for at most `count` causes. */
  bestCauses(count: number, unseen?: number): Result[];
  /** The result of each cause that agrees longest with the observation, for at most `count` causes. */
  longestAgreeing(count: number): Result[];
  /** Whether the best run matches. */
  isEnough(unseen?: number): boolean;
  /** Used part of the budget, from 0 to 1. */
  used(): number;
}

/** A run with at least this score matches the observation. */
export const FITS = 0.95;
/** A run without faults and with this score needs no fault. */
export const SAME = 0.985;
/** Minimum gain per perturbation: of two causes that explain equally much, the simpler one is right. */
export const PRICE = 0.012;
export const ROUND = 16;
/** A fault that lowers the match by this much is not the cause. */
const POOR = 0.1;
/** In ms. */
const MOMENT = 2000;

/**
 * Minimum gain of a run with a fault over one without. Rounded times and syncs every 10 to 15 s make two runs of the
 * same cause differ this much. If no run matches, the observation itself is less certain.
 */
const CHANCE = { ofWhatFits: 0.03, ofTheRest: 0.08 } as const;

/** Whether a run without faults suffices: one with a fault is not significantly better and explains nothing more. */
export function needsNoFaultBeside(
  plain: Pick<Tried, 'score' | 'unexplained'>,
  best: Pick<Tried, 'score' | 'unexplained'>,
): boolean {
  const isFitting = best.score >= FITS;
  if (plain.score < best.score - (isFitting ? CHANCE.ofWhatFits : CHANCE.ofTheRest)) return false;
  const left = new Set(best.unexplained);
  return (isFitting && plain.score >= FITS) || plain.unexplained.every((each) => left.has(each));
}

/** Cost of each further unobserved fault: what two faults explain more than one may be chance. */
const COINCIDENCE = 0.03;

/** Score minus the costs of perturbations. Observed failures cost nothing. */
export function worth({ score, planned: { schedule } }: Pick<Result, 'score' | 'planned'>): number {
  return score - PRICE * schedule.length - COINCIDENCE * Math.max(0, unseenOf(schedule) - 1);
}

const agreesUntil = ({ deviation }: Result): number => deviation ?? Number.POSITIVE_INFINITY;

const unseenOf = (schedule: Schedule): number => schedule.filter((each) => !isSeen(each)).length;

export function createTrials({ run, used }: TrialParts): Trials {
  const found = new Map<string, Result>();
  const isTried = (planned: PlannedRun) => isAnswered(planned, found.get(runId(planned)));
  const all = () => [...found.values()];
  const ranked = (unseen = Number.POSITIVE_INFINITY) =>
    all()
      .filter(({ planned: { schedule } }) => unseenOf(schedule) <= unseen)
      .sort((a, b) => worth(b) - worth(a));
  /** A fault that changes nothing would rank as high as the run without it. */
  const isIdle = ({ planned, way, score }: Result) => {
    const plain = found.get(runId({ ...planned, schedule: [] }));
    return planned.schedule.length > 0 && plain?.way === way && score <= plain.score;
  };
  const poor = new Map<string, number[]>();
  const notePoor = ({ planned, score }: Result) => {
    const [only, ...more] = planned.schedule;
    const plain = found.get(runId({ ...planned, schedule: [] }));
    if (only === undefined || more.length > 0 || plain === undefined || score > plain.score - POOR) return;
    append(poor, only.kind, only.at);
  };
  const firstOfEachCause = (results: readonly Result[], count: number) =>
    firstOfEach(
      results.filter((each) => !isIdle(each)),
      ({ planned: { schedule } }) => causeKey(schedule),
    ).slice(0, count);
  return {
    tryAll: async (runs) => {
      const fresh = firstOfEach(runs, runId).filter((planned) => !isTried(planned));
      const results: Result[] = [];
      for (let at = 0; at < fresh.length && used() < 1; at += ROUND)
        for (const result of await run(fresh.slice(at, at + ROUND))) {
          found.set(runId(result.planned), result);
          notePoor(result);
          results.push(result);
        }
      return results;
    },
    isTried,
    isPoor: ({ schedule: [only, ...more] }) =>
      more.length === 0 &&
      poor.get(only?.kind ?? '')?.some((at) => Math.abs(at - (only?.at ?? 0)) <= MOMENT) === true,
    latest: (result) => found.get(runId(result.planned)) ?? result,
    all,
    ranked,
    bestCauses: (count, unseen) => firstOfEachCause(ranked(unseen), count),
    longestAgreeing: (count) =>
      firstOfEachCause(
        all().sort((a, b) => agreesUntil(b) - agreesUntil(a) || worth(b) - worth(a)),
        count,
      ),
    isEnough: (unseen) => (ranked(unseen)[0]?.score ?? 0) >= SAME,
    used,
  };
}

/** `extend` requests the perturbations that can follow. */
export const plan = (
  { base, version, runtime }: NodeChoice & Pick<PlannedRun, 'base'>,
  schedule: Schedule,
  extend = false,
): PlannedRun => ({ base, version, runtime, schedule, extend });

export const isAnswered = ({ extend }: PlannedRun, tried: Tried | undefined): tried is Tried =>
  tried !== undefined && (!extend || tried.next !== null);

export const runId = ({ base, version, runtime, schedule }: PlannedRun): string =>
  `${base} ${version} ${runtime} ${scheduleId(schedule)}`;
