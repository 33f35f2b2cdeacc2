import type { Perturbation } from '../../explore/catalog/perturbation.js';
import { likelihoodOf } from '../../explore/causes/likelihood.js';
import { firstOfEach } from '../../input/first-of-each.js';
import { createRandom, type Random } from '../../random/random.js';
import type { Observation } from '../observation.js';
import type { PlannedRun } from './evaluate.js';
import { evidenceOf } from './evidence.js';
import { byHints } from './hints.js';
import { tryPairs } from './pairs.js';
import { refineAll } from './refine.js';
import { createTrials, plan, type Result, SAME, type TrialParts, type Trials } from './trials.js';

/** What a search is made of. */
export interface SearchParts extends TrialParts {
  readonly bases: number;
  /** Kubelets to try, the likeliest first. */
  readonly versions: readonly string[];
  readonly seen: Observation;
  readonly seed: string;
  /** Perturbations of one run, at most. */
  readonly depth: number;
}

/** Parts of the budget after which the next step begins. */
const UNTIL = { singles: 0.55, refined: 0.7, pairs: 0.9, last: 1 } as const;
/** Of the best causes, how many are refined and extended. */
const BEST = 6;

/** Finds runs that agree with what was seen: without faults, single perturbations, then pairs, then their times and other kubelets. */
export async function search(parts: SearchParts): Promise<Result[]> {
  const { bases, versions, seen, depth } = parts;
  const trials = createTrials(parts);
  const { tryAll, ranked, bestCauses, isEnough } = trials;

  const plain = await tryAll(withoutFaults(bases, versions), UNTIL.last);
  const start = plain.reduce((best, each) => (each.score > best.score ? each : best), plain[0] as Result);
  if (start === undefined || start.score >= SAME) return ranked();
  const refine = (results: readonly Result[], until: number) =>
    refineAll(trials, results, until, seen, start.deviation);

  const starts = startsOf(plain, versions) as [Result, ...Result[]];
  const [likeliest] = starts;
  const evidence = evidenceOf(seen);
  await tryAll(singles(evidence, likeliest), UNTIL.singles);
  const waves = wavesOf(starts, seen);
  for (const wave of waves) {
    await tryAll(wave, UNTIL.singles);
    await refine(bestCauses(BEST), UNTIL.refined);
    if (isEnough()) break;
  }
  if (isEnough()) await tryAll(likelier(singlesOf(likeliest, seen), trials), UNTIL.pairs);
  if (!isEnough() && depth > 1) {
    await tryPairs({ trials, seen, evidence, depth }, UNTIL.pairs);
    await refine(bestCauses(BEST), UNTIL.last);
  }
  await tryAll(withVersions(bestCauses(BEST), versions), UNTIL.last);
  await refine(bestCauses(3), UNTIL.last);
  const random = createRandom(`reproduce/${parts.seed}`);
  if (!isEnough()) await tryAll(shuffled(waves.flat(), random), UNTIL.last);
  return ranked();
}

/** Each base with each kubelet. */
const withoutFaults = (bases: number, versions: readonly string[]): PlannedRun[] =>
  Array.from({ length: bases }, (_, base) => versions.map((version) => plan(base, version, [], true))).flat();

/** Where perturbations begin: of the runs that go the same way with a kubelet, the best; the best of all first. */
function startsOf(plain: readonly Result[], versions: readonly string[]): Result[] {
  const place = ({ planned }: Result) => versions.indexOf(planned.version);
  const ordered = [...plain].sort((a, b) => b.score - a.score || place(a) - place(b));
  return firstOfEach(ordered, ({ way, planned: { version } }) => `${way} ${version}`);
}

/** One of each kind, then with other kubelets, then more of them. */
function wavesOf([likeliest, ...others]: readonly [Result, ...Result[]], seen: Observation): PlannedRun[][] {
  const first = singlesOf(likeliest, seen);
  const further = others.flatMap((each) => singlesOf(each, seen));
  return [ofFewEach(first, 1), ofFewEach(further, 1), ofFewEach(first, 2), first, further];
}

/** What can go wrong in a run, one by one; what was seen makes the first ones likely. */
const singlesOf = (result: Result, seen: Observation): PlannedRun[] =>
  singles(byHints(result.next, seen), result);

const singles = (perturbations: readonly Perturbation[], { planned }: Result): PlannedRun[] =>
  perturbations.map((each) => plan(planned.base, planned.version, [each], true));

/** At most this many runs of each kind of perturbation with each kubelet. */
function ofFewEach(runs: readonly PlannedRun[], most: number): PlannedRun[] {
  const counts = new Map<string, number>();
  return runs.filter(({ version, schedule }) => {
    const key = `${version} ${schedule.map(({ kind }) => kind).join()}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    return (counts.get(key) ?? 0) <= most;
  });
}

/** Perturbations of kinds that clusters see at least as often as what fits best: at another point they may fit as well. */
function likelier(runs: readonly PlannedRun[], trials: Trials): PlannedRun[] {
  const [best] = trials.ranked();
  const least = best === undefined ? 0 : likelihoodOf(best.planned.schedule);
  return runs
    .filter(({ schedule }) => likelihoodOf(schedule) >= least)
    .sort((a, b) => likelihoodOf(b.schedule) - likelihoodOf(a.schedule));
}

const withVersions = (results: readonly Result[], versions: readonly string[]): PlannedRun[] =>
  results.flatMap(({ planned: { base, schedule } }) =>
    versions.map((version) => plan(base, version, schedule)),
  );

function shuffled(runs: readonly PlannedRun[], random: Random): PlannedRun[] {
  return runs
    .map((each) => ({ each, order: random.next() }))
    .sort((a, b) => a.order - b.order)
    .map(({ each }) => each);
}
