import { type Schedule, scheduled, scheduleId } from '../../explore/catalog/perturbation.js';
import { likelihoodOf } from '../../explore/causes/likelihood.js';
import { createRandom } from '../../random/random.js';
import { nodeStates } from '../distance/seen-states.js';
import type { Observation } from '../observation.js';
import { causeKey } from './cause-key.js';
import type { PlannedRun, Tried } from './evaluate.js';
import { evidenceOf } from './evidence.js';
import { byHints } from './hints.js';
import { otherLengths, otherTimes, repeated } from './vary.js';

/** A run that was tried, and what it came to. */
export interface Result extends Tried {
  readonly planned: PlannedRun;
}

/** What a search is made of. */
export interface SearchParts {
  readonly bases: number;
  /** Kubelets to try, the likeliest first. */
  readonly versions: readonly string[];
  readonly seen: Observation;
  readonly seed: string;
  /** Perturbations of one run, at most. */
  readonly depth: number;
  /** The results in the order of the runs; what the end of the budget leaves undone is missing. */
  readonly run: (runs: readonly PlannedRun[]) => Promise<readonly Result[]>;
  /** The part of the budget that is used up, from 0 to 1. */
  readonly used: () => number;
}

/** A run without faults that agrees so well needs no fault. */
export const SAME = 0.985;
/** Each perturbation has to explain at least this much: of two causes that explain as much, the simpler one is right. */
export const PRICE = 0.012;
/** Runs that are chosen together. */
const ROUND = 16;
/** Parts of the budget after which the next step begins. */
const UNTIL = { singles: 0.55, refined: 0.7, pairs: 0.9, last: 1 } as const;
/** Of the best causes, how many are refined and extended. */
const BEST = 6;

/** Pairs that are tried with one perturbation. */
const MOST_PAIRS = 6 * ROUND;

/** How good a result is, with what its perturbations cost. */
export const worth = ({ score, planned }: Pick<Result, 'score' | 'planned'>): number =>
  score - PRICE * planned.schedule.length;

/** Finds runs that agree with what was seen: without faults, single perturbations, then pairs, then their times and other kubelets. */
export async function search(parts: SearchParts): Promise<Result[]> {
  const { bases, versions, seen, depth, used } = parts;
  const found = new Map<string, Result>();
  const random = createRandom(`reproduce/${parts.seed}`);
  const tryAll = async (runs: readonly PlannedRun[], until: number): Promise<Result[]> => {
    const fresh = runs.filter((planned) => !found.has(runId(planned)));
    const results: Result[] = [];
    for (let at = 0; at < fresh.length && used() < until; at += ROUND)
      for (const result of await parts.run(fresh.slice(at, at + ROUND))) {
        found.set(runId(result.planned), result);
        results.push(result);
      }
    return results;
  };
  const plan = (base: number, version: string, schedule: Schedule, extend = false): PlannedRun => ({
    base,
    version,
    schedule,
    extend,
  });
  const ranked = () => [...found.values()].sort((a, b) => worth(b) - worth(a));
  const bestCauses = (count: number) =>
    firstOfEach(ranked(), ({ planned: { schedule } }) => causeKey(schedule)).slice(0, count);

  const plain = await tryAll(
    Array.from({ length: bases }, (_, base) =>
      versions.map((version) => plan(base, version, [], true)),
    ).flat(),
    UNTIL.last,
  );
  const start = plain.reduce((best, each) => (each.score > best.score ? each : best), plain[0] as Result);
  if (start === undefined || start.score >= SAME) return ranked();

  const starts = firstOfEach(
    [...plain].sort(
      (a, b) =>
        b.score - a.score || versions.indexOf(a.planned.version) - versions.indexOf(b.planned.version),
    ),
    ({ way, planned: { version } }) => `${way} ${version}`,
  );
  const evidence = evidenceOf(seen);
  const ofEach = (schedules: readonly Schedule[], { planned: { base, version } }: Result) =>
    schedules.map((each) => plan(base, version, each, true));
  const [likeliest, ...others] = starts as [Result, ...Result[]];
  await tryAll(
    ofEach(
      evidence.map((each) => [each]),
      likeliest,
    ),
    UNTIL.singles,
  );
  const isEnough = () => (ranked()[0]?.score ?? 0) >= SAME;
  const singlesOf = (result: Result) =>
    ofEach(
      byHints(result.next, seen).map((each) => [each]),
      result,
    );
  // One of each kind, then with other kubelets, then more of them.
  const waves: readonly (readonly PlannedRun[])[] = [
    ofFewEach(singlesOf(likeliest), 1),
    ofFewEach(others.flatMap(singlesOf), 1),
    ofFewEach(singlesOf(likeliest), 2),
    singlesOf(likeliest),
    others.flatMap(singlesOf),
  ];
  for (const wave of waves) {
    await tryAll(wave, UNTIL.singles);
    await refine(bestCauses(BEST), UNTIL.refined);
    if (isEnough()) break;
  }
  if (isEnough()) await tryAll(likelier(singlesOf(likeliest)), UNTIL.pairs);
  if (!isEnough() && depth > 1) {
    await pairs();
    await refine(bestCauses(BEST), UNTIL.last);
  }
  await otherVersions(bestCauses(BEST));
  await refine(bestCauses(3), UNTIL.last);
  if (!isEnough()) await tryAll(shuffled(waves.flat()), UNTIL.last);
  return ranked();

  /** Perturbations of kinds that clusters see at least as often as what fits best: at another point they may fit as well. */
  function likelier(runs: readonly PlannedRun[]): PlannedRun[] {
    const [best] = ranked();
    const least = best === undefined ? 0 : likelihoodOf(best.planned.schedule);
    return runs
      .filter(({ schedule }) => likelihoodOf(schedule) >= least)
      .sort((a, b) => likelihoodOf(b.schedule) - likelihoodOf(a.schedule));
  }

  /** Pairs begin with what fits best, and with what agrees longest: the first of two faults explains the beginning. */
  async function pairs(): Promise<void> {
    const longest = [...found.values()].sort(
      (a, b) => agreesUntil(b) - agreesUntil(a) || worth(b) - worth(a),
    );
    const kinds = firstOfEach(longest, ({ planned: { schedule } }) => causeKey(schedule));
    const begins = firstOfEach([...bestCauses(BEST / 2), ...kinds.slice(0, BEST / 2)], ({ planned }) =>
      runId(planned),
    ).filter(({ planned: { schedule } }) => schedule.length > 0 && schedule.length < depth);
    const plans = begins.map(({ planned: { base, version, schedule }, next }) =>
      [...evidence, ...byHints(next, seen)]
        .map((each) => plan(base, version, scheduled([...schedule, each])))
        .filter(isPair),
    );
    for (let at = 0; at < MOST_PAIRS && used() < UNTIL.pairs; at += ROUND)
      for (const each of plans) await tryAll(each.slice(at, at + ROUND), UNTIL.pairs);
  }

  /** Moves what was tried to where it takes effect when that was seen, and makes it last longer and shorter. */
  async function refine(results: readonly Result[], until: number): Promise<void> {
    for (const result of results) {
      const { base, version, schedule } = result.planned;
      if (schedule.length === 0 || result.score >= SAME) continue;
      const same = (each: Schedule) => plan(base, version, each, false);
      const dev = start?.deviation ?? result.deviation;
      const shift =
        dev === null || dev === undefined || result.effect === null ? 0 : dev * 1000 - result.effect;
      const shifts = [shift, shift - 1000, shift - 3000, shift - 8000, -5000, 5000, 15_000].map(Math.round);
      let best = result;
      for (let round = 0; round < 3; round++) {
        const more = await tryAll(
          [
            ...otherTimes(best.planned.schedule, round === 0 ? shifts : [-10_000, -2000, 2000, 10_000]),
            ...otherLengths(best.planned.schedule),
            ...again(best.planned.schedule, seen),
          ].map(same),
          until,
        );
        const better = more.reduce((a, b) => (b.score > a.score ? b : a), best);
        if (better === best || better.score < best.score + 0.002) break;
        best = better;
      }
    }
  }

  async function otherVersions(results: readonly Result[]): Promise<void> {
    await tryAll(
      results.flatMap(({ planned: { base, schedule } }) =>
        versions.map((version) => plan(base, version, schedule)),
      ),
      UNTIL.last,
    );
  }

  function shuffled(runs: readonly PlannedRun[]): PlannedRun[] {
    return runs
      .map((each) => ({ each, order: random.next() }))
      .sort((a, b) => a.order - b.order)
      .map(({ each }) => each);
  }
}

const agreesUntil = ({ deviation }: Tried): number => deviation ?? Number.POSITIVE_INFINITY;

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

const isPair = ({ schedule }: PlannedRun): boolean =>
  new Set(schedule.map(({ id }) => id)).size === schedule.length;

/** Equal for equal runs. */
export const runId = ({ base, version, schedule }: PlannedRun): string =>
  `${base} ${version} ${scheduleId(schedule)}`;

/** At most this many runs of each kind of perturbation with each kubelet. */
function ofFewEach(runs: readonly PlannedRun[], most: number): PlannedRun[] {
  const counts = new Map<string, number>();
  return runs.filter(({ version, schedule }) => {
    const key = `${version} ${schedule.map(({ kind }) => kind).join()}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    return (counts.get(key) ?? 0) <= most;
  });
}

/** The first of those with equal keys. */
export function firstOfEach<T>(list: readonly T[], keyOf: (each: T) => string): T[] {
  const seen = new Set<string>();
  return list.filter((each) => {
    const key = keyOf(each);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
