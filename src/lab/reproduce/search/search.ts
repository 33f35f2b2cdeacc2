import { firstOfEach } from '../../../base/input/first-of-each.js';
import { createRandom, type Random } from '../../../base/random/random.js';
import { type Perturbation, scheduleId } from '../../explore/catalog/perturbation.js';
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

export interface SearchParts extends TrialParts {
  readonly bases: number;
  readonly nodes: readonly NodeChoice[];
  readonly seen: Observation;
  readonly seed: string;
  readonly depth: number;
}

const BEST = 6;

/**
 * Finds runs that match the observation. Runs without faults come first; then single perturbations, pairs, their times,
 * and other nodes take turns until one matches; then likelier causes that may match too.
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
  const behaving = () => onOtherBases([...trials.bestCauses(BEST), ...trials.longestAgreeing(BEST)], bases);
  const step = (share: number, next: () => readonly PlannedRun[]): Step => ({
    share,
    next: () => poorLast(next(), trials),
  });
  const shares = grounds.length === 0 ? SHARES : SHARES_AFTER_EVIDENCE;
  const looking = [
    step(shares.near, () => alone.near),
    step(shares.further, () => alone.further),
    step(shares.refining, refining),
    step(shares.pairs, () => (depth > 1 ? nextPairs({ trials, seen, grounds, evidence, depth }) : [])),
    step(shares.elsewhere, elsewhere),
    step(shares.behaving, behaving),
  ];
  let until = Number.POSITIVE_INFINITY;
  // Two faults may match by chance, so the search for one continues.
  const goesOn = () => {
    if (isEnough()) until = Math.min(until, trials.all().length + MOST_AS_GOOD);
    return !isEnough(1) && trials.all().length < until;
  };
  await takeTurns(looking, trials, goesOn);
  if (!isEnough()) return ranked();
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

/** Rounded times keep even the observed run from matching fully: nothing unexplained is enough. */
const needsNoFault = ({ score, deviation, unexplained }: Result): boolean =>
  score >= SAME || (score >= FITS && deviation === null && unexplained.length === 0);

/** Shares of the runs for each step. */
const SHARES = {
  near: 0.4,
  further: 0.15,
  refining: 0.2,
  pairs: 0.15,
  elsewhere: 0.1,
  behaving: 0.15,
} as const;
/** An observed fault, which was already tried alone, usually comes with others. */
const SHARES_AFTER_EVIDENCE = {
  near: 0.2,
  further: 0.1,
  refining: 0.2,
  pairs: 0.4,
  elsewhere: 0.1,
  behaving: 0.15,
} as const;
/** After a match, this many more runs look for alternatives: by then each kind was tried at one point. */
const MOST_AS_GOOD = 240;

/** The best observed failures on each node, if they explain anything: a basis for further faults. */
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

const withoutFaults = (bases: number, nodes: readonly NodeChoice[]): PlannedRun[] =>
  Array.from({ length: bases }, (_, base) => nodes.map((node) => plan({ ...node, base }, [], true))).flat();

/** Where perturbations start: the best of the runs with the same course per kubelet, best overall first. */
function startsOf(plain: readonly Result[], nodes: readonly NodeChoice[]): Result[] {
  const place = ({ planned: { version, runtime } }: Result) =>
    nodes.findIndex((node) => node.version === version && node.runtime === runtime);
  const ordered = [...plain].sort((a, b) => b.score - a.score || place(a) - place(b));
  return firstOfEach(ordered, ({ way, planned: { version } }) => `${way} ${version}`);
}

interface Singles {
  /** On the likeliest node, one of each kind first, then the second of each. */
  readonly near: readonly PlannedRun[];
  /** On other nodes, one of each kind for each first; before these, faults of calls that only the other kubelet makes. */
  readonly further: readonly PlannedRun[];
}

function singlesInOrder(
  [likeliest, ...others]: readonly [Result, ...Result[]],
  seen: Observation,
  random: Random,
): Singles {
  const further = others.map((each) => singlesOf(each, seen));
  const known = new Set(likeliest.next?.map(({ id }) => id));
  const isOnlyThere = ({ runtime, schedule }: PlannedRun) =>
    runtime === likeliest.planned.runtime && schedule.every(({ id }) => !known.has(id));
  const onlyThere = inTurns(further.map((runs) => firstOfEachKind(runs.filter(isOnlyThere))));
  const first = [
    ...firstOfEach(onlyThere, ({ schedule }) => scheduleId(schedule)),
    ...inTurns(further.map(firstOfEachKind)),
  ];
  return {
    near: singlesOf(likeliest, seen),
    further: firstOfEach([...first, ...shuffled(further.flat(), random)], runId),
  };
}

const singlesOf = (result: Result, seen: Observation): PlannedRun[] =>
  singles(byHints(result.next ?? [], seen), result);

const singles = (perturbations: readonly Perturbation[], { planned }: Result): PlannedRun[] =>
  perturbations.map((each) => plan(planned, [each]));

const firstOfEachKind = (runs: readonly PlannedRun[]): PlannedRun[] =>
  firstOfEach(runs, ({ schedule }) => schedule.map(({ kind }) => kind).join());

/** The first of each list, then the second of each. */
const inTurns = <T>(lists: readonly (readonly T[])[]): T[] =>
  Array.from({ length: Math.max(0, ...lists.map(({ length }) => length)) }, (_, at) =>
    lists.flatMap((list) => list.slice(at, at + 1)),
  ).flat();

function likelier(runs: readonly PlannedRun[], trials: Trials): PlannedRun[] {
  const [best] = trials.ranked();
  const least = best === undefined ? 0 : likelihoodOf(best.planned.schedule);
  return runs
    .filter(({ schedule }) => likelihoodOf(schedule) >= least)
    .sort((a, b) => likelihoodOf(b.schedule) - likelihoodOf(a.schedule));
}

/** Kubelets and runtimes ordered by their match without faults: if events have other words, none matches. */
function likeliestFirst(nodes: readonly NodeChoice[], plain: readonly Result[]): Partial<NodeChoice>[] {
  const agrees = (node: NodeChoice) =>
    Math.max(...plain.filter(({ planned }) => isOn(planned, node)).map(({ score }) => score));
  const sorted = [...nodes].sort((a, b) => agrees(b) - agrees(a));
  // Nodes differ from the first one in the kubelet or the runtime.
  const [first] = nodes;
  return [
    ...sorted.filter(({ runtime }) => runtime === first?.runtime).map(({ version }) => ({ version })),
    ...sorted.filter(({ version }) => version === first?.version).map(({ runtime }) => ({ runtime })),
  ];
}

const isOn = (planned: NodeChoice, { version, runtime }: NodeChoice): boolean =>
  planned.version === version && planned.runtime === runtime;

/** Untried runs; a fault of a kind that made the match much worse a moment earlier or later comes last. */
function poorLast(runs: readonly PlannedRun[], { isTried, isPoor }: Trials): PlannedRun[] {
  const fresh = runs.filter((each) => !isTried(each));
  return [...fresh.filter((each) => !isPoor(each)), ...fresh.filter(isPoor)];
}

/** A fault may be found with another behavior of the containers than the one with which it happened. */
const onOtherBases = (results: readonly Result[], bases: number): PlannedRun[] =>
  results.flatMap(({ planned }) =>
    Array.from({ length: bases }, (_, base) => plan({ ...planned, base }, planned.schedule)),
  );

const onOtherNodes = (results: readonly Result[], others: readonly Partial<NodeChoice>[]): PlannedRun[] =>
  others.flatMap((other) => results.map(({ planned }) => plan({ ...planned, ...other }, planned.schedule)));

function shuffled(runs: readonly PlannedRun[], random: Random): PlannedRun[] {
  return runs
    .map((each) => ({ each, order: random.next() }))
    .sort((a, b) => a.order - b.order)
    .map(({ each }) => each);
}
