import { firstOfEach } from '../../base/input/first-of-each.js';
import type { RuntimeProfileName } from '../../runtime/profiles/index.js';
import type { Schedule } from '../explore/catalog/perturbation.js';
import { likelihoodOf } from '../explore/causes/likelihood.js';
import { observeRun } from '../explore/run/observe.js';
import { explain } from '../scenario/explain/explain.js';
import type { LoadedScenario } from '../scenario/file/loaded-scenario.js';
import type { Simulation } from '../scenario/run/run.js';
import { causeKey } from './search/cause-key.js';
import { type SearchInput, scenarioOf } from './search/evaluate.js';
import { momentary } from './search/momentary.js';
import { FITS, needsNoFaultBeside, PRICE, type Result, worth } from './search/trials.js';
import type { Base } from './starting-points.js';

export interface Cause {
  /** From 0 to 1. */
  readonly fit: number;
  readonly verdict: Verdict;
  readonly cause: string;
  /** Kind without times: `reply lost CreateContainer`; empty for a run without faults. */
  readonly key: string;
  readonly also: readonly Schedule[];
  readonly version: string;
  readonly versions: readonly string[];
  readonly runtime: RuntimeProfileName;
  readonly runtimes: readonly RuntimeProfileName[];
  readonly unexplained: readonly string[];
  readonly guesses: readonly string[];
  readonly schedule: Schedule;
  readonly scenario: LoadedScenario;
  readonly explanation: readonly string[];
  readonly run: Simulation;
}

/** Meaning of a match, calibrated on runs with known causes (docs/results/reproduce.md). */
export type Verdict = 'fits' | 'fits in part' | 'comes nearest';

export const MOST_CAUSES = 5;
/** Matches from this value up to FITS are partial. */
const IN_PART = 0.85;
/** Matches that differ by less than this are equal. */
const EQUAL = 0.004;
/** Factor by which a fault at a critical moment is less likely. */
const COINCIDENCE = 2;
/** Omits causes that are worse than the best one by this much. */
const WORSE = 0.12;

export const kindsOf = ({ key, also }: Cause): string[] => [key, ...also.map(causeKey)];

const verdictOf = (fit: number): Verdict =>
  fit >= FITS ? 'fits' : fit >= IN_PART ? 'fits in part' : 'comes nearest';

/**
 * Causes of the results, best first: one of each kind; causes with the same runs are merged. Only the first one once it
 * `isOver`.
 */
export async function causesOf(
  results: readonly Result[],
  input: SearchInput,
  bases: readonly Base[],
  isOver: () => boolean,
): Promise<Cause[]> {
  const groups = plainFirst(grouped(results));
  const best = groups[0]?.[0];
  if (best === undefined) return [];
  const chosen = groups
    .filter(([first]) => first !== undefined && worth(first) >= worth(best) - WORSE)
    .slice(0, MOST_CAUSES);
  const causes: Cause[] = [];
  for (const group of chosen) {
    if (causes.length > 0 && isOver()) break;
    const cause = await causeOfGroup(group, input, bases);
    if (cause !== undefined) causes.push(cause);
  }
  return causes;
}

function plainFirst(groups: readonly Result[][]): Result[][] {
  const best = groups[0]?.[0];
  const isPlain = (each: Result) =>
    each.planned.schedule.length === 0 && best !== undefined && needsNoFaultBeside(each, best);
  const plain = groups.flat().find(isPlain);
  if (plain === undefined) return [...groups];
  // Other kubelets without a fault are the same result.
  const same = groups.flat().filter((each) => each !== plain && each.planned.schedule.length === 0);
  const others = groups.map((group) =>
    group.filter((each) => each.planned.schedule.length > 0 && each.way !== plain.way),
  );
  return [[plain, ...same], ...others.filter((group) => group.length > 0)];
}

function grouped(results: readonly Result[]): Result[][] {
  const moments = momentary(results);
  const likelihood = (each: Result) =>
    likelihoodOf(each.planned.schedule) - (moments.has(each) ? COINCIDENCE : 0);
  const sorted = [...results].sort(byWorth(likelihood));
  const groups: Result[][] = [];
  const byKey = new Map<string, Result[]>();
  for (const result of sorted) {
    const { schedule, base, version, runtime } = result.planned;
    const key = `kind ${causeKey(schedule)}`;
    const way = `way ${base} ${version} ${runtime} ${result.way}`;
    const group = byKey.get(key) ?? byKey.get(way);
    if (group === undefined) {
      const made = [result];
      groups.push(made);
      byKey.set(key, made);
      byKey.set(way, made);
    } else if (worth(result) >= worth(group[0] as Result) - EQUAL - PRICE) {
      group.push(result);
      if (!byKey.has(key)) byKey.set(key, group);
    }
  }
  return groups;
}

const byWorth =
  (likelihood: (each: Result) => number) =>
  (a: Result, b: Result): number => {
    const [left, right] = [Math.round(worth(a) / EQUAL), Math.round(worth(b) / EQUAL)];
    return right - left || likelihood(b) - likelihood(a) || worth(b) - worth(a);
  };

async function causeOfGroup(
  group: readonly Result[],
  input: SearchInput,
  bases: readonly Base[],
): Promise<Cause | undefined> {
  const [best] = group;
  if (best === undefined) return undefined;
  const { planned, score, unexplained } = best;
  const scenario = scenarioOf(input, planned);
  const { run } = await observeRun(scenario);
  if (run === undefined) return undefined;
  const key = causeKey(planned.schedule);
  const equal = group.filter((each) => each.score >= score - EQUAL).map((each) => each.planned);
  return {
    fit: score,
    verdict: verdictOf(score),
    cause:
      planned.schedule.length === 0
        ? withoutFault(bases[planned.base])
        : planned.schedule.map(({ text }) => text).join('; and '),
    key,
    also: firstOfEach(
      group.map((each) => each.planned.schedule),
      causeKey,
    ).filter((schedule) => causeKey(schedule) !== key),
    version: planned.version,
    versions: [...new Set(equal.map(({ version }) => version))].sort(),
    runtime: planned.runtime,
    runtimes: [...new Set(equal.map(({ runtime }) => runtime))].sort(),
    unexplained,
    guesses: bases[planned.base]?.guesses ?? [],
    schedule: planned.schedule,
    scenario,
    explanation: explain(run),
    run,
  };
}

const withoutFault = (base: Base | undefined): string =>
  base === undefined || base.guesses.length === 0
    ? 'no fault: the pod does this on its own'
    : `no fault: ${base.guesses.join('; ')}`;
