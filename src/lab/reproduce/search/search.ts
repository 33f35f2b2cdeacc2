import { firstOfEach } from '../../../base/input/first-of-each.js';
import { createRandom, type Random } from '../../../base/random/random.js';
import type { Perturbation } from '../../explore/catalog/perturbation.js';
import { likelihoodOf } from '../../explore/causes/likelihood.js';
import type { Observation } from '../observation.js';
import type { NodeChoice, PlannedRun } from './evaluate.js';
import { evidenceOf, evidenceTogether } from './evidence.js';
import { byHints } from './hints.js';
import { nextPairs } from './pairs.js';
import { createRefine } from './refine.js';
import {
  createTrials,
  FITS,
  plan,
  type Result,
  runId,
  SAME,
  type TrialParts,
  type Trials,
  worth,
} from './trials.js';
import { type Step, takeTurns } from './turns.js';

/** What a search is made of. */
export interface SearchParts extends TrialParts {
  readonly bases: number;
  /** Kubelets and runtimes to try, the likeliest first. */
  readonly nodes: readonly NodeChoice[];
  readonly seen: Observation;
  readonly seed: string;
  /** Perturbations of one run, at most. */
  readonly depth: number;
}

/** Of the best causes, how many are refined, extended and tried on other nodes. */
const BEST = 6;

/**
 * Finds runs that agree with what was seen: without faults first. Then single perturbations, pairs, their times, and other nodes
 * take turns until one fits; after that, likelier causes that may fit as well.
 */
export async function search(parts: SearchParts): Promise<Result[]> {
  const { bases, nodes, seen, depth, seed } = parts;
  const trials = createTrials(parts);
  const { ranked, isEnough } = trials;

  const plain = await trials.tryAll(withoutFaults(bases, nodes));
  const start = plain.reduce((best, each) => (each.score > best.score ? each : best), plain[0] as Result);
  if (start === undefined || needsNoFault(start)) return ranked();

  const starts = startsOf(plain, nodes) as [Result, ...Result[]];
  const evidence = evidenceOf(seen);
  const grounds = await withEvidence(starts, evidence, trials);
  const alone = singlesInOrder(starts, seen, createRandom(`reproduce/${seed}`));
  const refining = createRefine({ trials, seen, deviation: start.deviation }, BEST);
  const others = likeliestFirst(nodes, plain);
  const elsewhere = () => onOtherNodes(trials.bestCauses(BEST), others);
  const step = (share: number, next: () => readonly PlannedRun[]): Step => ({
    share,
    next: () => next().filter((each) => !trials.isTried(each)),
  });
  const shares = grounds.length === 0 ? SHARES : SHARES_AFTER_EVIDENCE;
  const looking = [
    step(shares.near, () => alone.near),
    step(shares.further, () => alone.further),
    step(shares.refining, refining),
    step(shares.pairs, () => (depth > 1 ? nextPairs({ trials, seen, grounds, evidence, depth }) : [])),
    step(shares.elsewhere, elsewhere),
  ];
  await takeTurns(looking, trials, () => !isEnough());
  if (!isEnough()) return ranked();
  const until = trials.all().length + MOST_AS_GOOD;
  const asGood = [
    step(0.5, () => alone.near),
    step(0.2, () => likelier(alone.near, trials)),
    step(0.1, () => alone.further),
    step(0.1, elsewhere),
    step(0.1, refining),
  ];
  await takeTurns(asGood, trials, () => trials.all().length < until);
  return ranked();
}

/** With rounded times even the run that was seen fits less than wholly: that nothing is left to explain is enough. */
const needsNoFault = ({ score, deviation, unexplained }: Result): boolean =>
  score >= SAME || (score >= FITS && deviation === null && unexplained.length === 0);

/** The parts of the runs that the steps have. */
const SHARES = { near: 0.4, further: 0.15, refining: 0.2, pairs: 0.15, elsewhere: 0.1 } as const;
/** A fault that was seen to be there has others with it more often than not: that alone was tried first. */
const SHARES_AFTER_EVIDENCE = {
  near: 0.2,
  further: 0.1,
  refining: 0.2,
  pairs: 0.4,
  elsewhere: 0.1,
} as const;
/** When one fits, so many runs more show what else does: each kind was tried at one point by then. */
const MOST_AS_GOOD = 240;

/** The best of what was seen to fail, on each node, if it explains anything: the grounds for what else may have happened. */
async function withEvidence(
  [likeliest, ...others]: readonly [Result, ...Result[]],
  evidence: readonly Perturbation[],
  { tryAll }: Trials,
): Promise<Result[]> {
  const together = evidenceTogether(evidence).map((each) => plan(likeliest.planned, each));
  const tried = await tryAll([...together, ...singles(evidence, likeliest)]);
  const [best] = tried.sort((a, b) => worth(b) - worth(a));
  if (best === undefined || worth(best) <= worth(likeliest)) return [];
  const { schedule } = best.planned;
  const elsewhere = await tryAll(others.map(({ planned }) => plan(planned, schedule)));
  return [best, ...elsewhere.sort((a, b) => b.score - a.score)];
}

/** Each base on each node. */
const withoutFaults = (bases: number, nodes: readonly NodeChoice[]): PlannedRun[] =>
  Array.from({ length: bases }, (_, base) => nodes.map((node) => plan({ ...node, base }, [], true))).flat();

/** Where perturbations begin: of the runs that go the same way with a kubelet, the best; the best of all first. */
function startsOf(plain: readonly Result[], nodes: readonly NodeChoice[]): Result[] {
  const place = ({ planned: { version, runtime } }: Result) =>
    nodes.findIndex((node) => node.version === version && node.runtime === runtime);
  const ordered = [...plain].sort((a, b) => b.score - a.score || place(a) - place(b));
  return firstOfEach(ordered, ({ way, planned: { version } }) => `${way} ${version}`);
}

/** Perturbations of one run, alone. */
interface Singles {
  /** On the likeliest node: one of each kind, then a second one, and so on. */
  readonly near: readonly PlannedRun[];
  /** With other kubelets: one of each kind with each, then the others. */
  readonly further: readonly PlannedRun[];
}

function singlesInOrder(
  [likeliest, ...others]: readonly [Result, ...Result[]],
  seen: Observation,
  random: Random,
): Singles {
  const further = others.flatMap((each) => singlesOf(each, seen));
  return {
    near: singlesOf(likeliest, seen),
    further: firstOfEach([...ofFewEach(further, 1), ...shuffled(further, random)], runId),
  };
}

/** What can go wrong in a run, one by one; what was seen makes the first ones likely. */
const singlesOf = (result: Result, seen: Observation): PlannedRun[] =>
  singles(byHints(result.next ?? [], seen), result);

const singles = (perturbations: readonly Perturbation[], { planned }: Result): PlannedRun[] =>
  perturbations.map((each) => plan(planned, [each]));

/** At most this many runs of each kind of perturbation on each node. */
function ofFewEach(runs: readonly PlannedRun[], most: number): PlannedRun[] {
  const counts = new Map<string, number>();
  return runs.filter(({ version, runtime, schedule }) => {
    const key = `${version} ${runtime} ${schedule.map(({ kind }) => kind).join()}`;
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

/** Kubelets, and runtimes, those first that agree best without a fault: with other words in its events, none fits. */
function likeliestFirst(nodes: readonly NodeChoice[], plain: readonly Result[]): Partial<NodeChoice>[] {
  const agrees = (node: NodeChoice) =>
    Math.max(...plain.filter(({ planned }) => isOn(planned, node)).map(({ score }) => score));
  const sorted = [...nodes].sort((a, b) => agrees(b) - agrees(a));
  // The nodes differ from the first one in their kubelet or in their runtime.
  const [first] = nodes;
  return [
    ...sorted.filter(({ runtime }) => runtime === first?.runtime).map(({ version }) => ({ version })),
    ...sorted.filter(({ version }) => version === first?.version).map(({ runtime }) => ({ runtime })),
  ];
}

const isOn = (planned: NodeChoice, { version, runtime }: NodeChoice): boolean =>
  planned.version === version && planned.runtime === runtime;

/** What fits best with each other kubelet, and with each other runtime. */
const onOtherNodes = (results: readonly Result[], others: readonly Partial<NodeChoice>[]): PlannedRun[] =>
  others.flatMap((other) => results.map(({ planned }) => plan({ ...planned, ...other }, planned.schedule)));

function shuffled(runs: readonly PlannedRun[], random: Random): PlannedRun[] {
  return runs
    .map((each) => ({ each, order: random.next() }))
    .sort((a, b) => a.order - b.order)
    .map(({ each }) => each);
}
