import type { Clock } from '../../base/clock/clock.js';
import { InputError } from '../../base/input/yaml.js';
import type { RuntimeProfileName } from '../../runtime/profiles/index.js';
import type { LoadedScenario } from '../scenario/file/loaded-scenario.js';
import { type Cause, causesOf, MOST_CAUSES } from './cause.js';
import { isComparable } from './distance/rest.js';
import type { SeenFile } from './facts.js';
import { joinSeen } from './join-seen.js';
import type { Observation } from './observation.js';
import { createLocalRuns, createRunThreads } from './pool.js';
import type { PlannedRun, Tried } from './search/evaluate.js';
import { nodesFor } from './search/nodes.js';
import { search } from './search/search.js';
import { isAnswered, type Result, runId, worth } from './search/trials.js';
import { type Base, basesOf, creationsOf } from './starting-points.js';
import { type TellingCommand, tellApart } from './telling-commands.js';
import { whosePods } from './whose-pods.js';

export interface ReproduceOptions {
  readonly scenario: LoadedScenario;
  readonly saw: readonly SeenFile[];
  /** Names of the observed pods to use; default: all that match the scenario's names. */
  readonly pods?: readonly string[] | undefined;
  /** Number of runs, or real time in ms. */
  readonly budget: { readonly schedules?: number | undefined; readonly time?: number | undefined };
  /** Kubelet versions to try; default: from the observation, or from the scenario. */
  readonly versions?: readonly string[] | undefined;
  /** Runtimes to try; default: from the observation, or from the scenario. */
  readonly runtimes?: readonly RuntimeProfileName[] | undefined;
  readonly seed: string;
  readonly depth: number;
  /** Worker threads; 0 runs in this thread. Workers need the built program. */
  readonly workers: number;
  readonly clock: Clock;
  /** When the time of the budget began, as the clock's `elapsed`: reading may count. Default: now. */
  readonly begun?: number | undefined;
  /** Ends the search early and returns the best causes so far. */
  readonly signal?: AbortSignal | undefined;
  readonly saved?: SavedRuns | undefined;
  readonly onProgress?: ((progress: ReproduceProgress, save: () => SavedRuns) => void) | undefined;
}

export type SavedRuns = Readonly<Record<string, Tried>>;

export const isSavedRuns = (saved: object): saved is SavedRuns =>
  Object.values(saved).every((tried) => typeof tried === 'object' && tried !== null && 'score' in tried);

export interface ReproduceProgress {
  readonly runs: number;
  /** Undefined before the first run. */
  readonly best: Result | undefined;
}

export interface Reproduction {
  readonly seen: Observation;
  /** Observed pods that are not the scenario's; they are ignored. */
  readonly others: readonly string[];
  readonly bases: readonly Base[];
  /** At most five, best first. */
  readonly causes: readonly Cause[];
  readonly apart: readonly TellingCommand[];
  readonly runs: number;
  /** Whether the budget ran out before everything was tried. */
  readonly isCut: boolean;
}

/** Finds causes of an observation. Throws InputError if nothing in it can be compared with a simulation. */
export async function reproduce(options: ReproduceOptions): Promise<Reproduction> {
  const { saw, budget, clock, begun = clock.elapsed(), workers, signal, saved, onProgress } = options;
  const { scenario, saw: own, others } = whosePods(options.scenario, saw, options.pods);
  const seen = joinSeen(own, creationsOf(scenario));
  if (!isComparable(seen))
    throw new InputError([
      `--saw: ${saw.map(({ file }) => file).join(', ')}: nothing in it can be compared with a simulation`,
    ]);
  const bases = basesOf(scenario, seen);
  const input = { bases: bases.map((each) => each.scenario), seen };
  const pool = workers > 0 ? createRunThreads(input, workers) : createLocalRuns(input);
  const tried = new Map<string, Tried>(Object.entries(saved ?? {}));
  let runs = 0;
  let best: Result | undefined;
  const { time = Number.POSITIVE_INFINITY, schedules = Number.POSITIVE_INFINITY } = budget;
  const passed = () => clock.elapsed() - begun;
  const searching = clock.elapsed();
  const isOver = () => signal?.aborted === true || passed() >= time;
  /** The time in which each cause can run once more, which shows what happens. */
  const forCauses = () =>
    runs === 0 ? 0 : (MOST_CAUSES * Math.max(1, workers) * (clock.elapsed() - searching)) / runs;
  const spent = () => {
    if (signal?.aborted === true) return 1;
    return Math.max(runs / schedules, (passed() + Math.min(forCauses(), time / 3)) / time);
  };
  // The first run takes place even if reading took all the time.
  const used = () => (runs === 0 && signal?.aborted !== true ? 0 : spent());
  const run = async (round: readonly PlannedRun[]): Promise<Result[]> => {
    const wanted = round.slice(0, schedules - runs);
    const fresh = wanted.filter((planned) => !isAnswered(planned, tried.get(runId(planned))));
    let done = runs + (wanted.length - fresh.length);
    const results = await pool.run(fresh, () => done++ > 0 && spent() >= 1);
    for (const [index, result] of results.entries()) tried.set(runId(fresh[index] as PlannedRun), result);
    const known = wanted.flatMap((planned): Result[] => {
      const result = tried.get(runId(planned));
      return result === undefined ? [] : [{ ...result, planned }];
    });
    runs += known.length;
    for (const each of known) if (best === undefined || worth(each) > worth(best)) best = each;
    onProgress?.({ runs, best }, () => Object.fromEntries(tried));
    return known;
  };
  try {
    const nodes = nodesFor(options, seen);
    const { seed, depth } = options;
    const results = await search({ bases: bases.length, nodes, seen, seed, depth, run, used });
    const isCut = used() >= 1;
    const causes = await causesOf(results, input, bases, isOver);
    return { seen, others, bases, causes, apart: await tellApart(causes, seen, isOver), runs, isCut };
  } finally {
    await pool.close();
  }
}
